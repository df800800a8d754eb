import type { TypingState } from '../domain/instance/instance-call.ts';
import type { LinkedProfile, MessageReceipt, OutgoingDetail, OutgoingMention } from '../ports/gateway.ts';
import type {
  AcceptedFile,
  InboundFile,
  InboundMessage,
  NetworkActivity,
  NetworkMessage,
  NetworkRecord,
  SandboxAction,
} from './network-record.ts';
import type { SandboxGroup } from './sandbox-groups.ts';

/** A message that the network accepted. */
export interface AcceptedMessage {
  readonly networkId: string;
  readonly to: string;
  readonly text: string;
  readonly file: AcceptedFile | null;
  /**
   * The network's id of the recipient, if the message was addressed to a contact; `to` is empty if the contact's number
   * is unknown.
   */
  readonly contactNetworkId?: string;
  /** The network's id of the quoted message. */
  readonly replyTo?: string;
  /** The kind, if it is finer than that of a text or a file. */
  readonly detail?: OutgoingDetail;
  /** The people whom the text mentions. */
  readonly mentions?: readonly OutgoingMention[];
  /** How many times the message was sent again under the same id; the network accepted it only once. */
  repeats: number;
}

/** An action that the network accepted. */
export interface AcceptedAction extends SandboxAction {
  /** How many times the action was repeated under the same id; the network carried it out only once. */
  repeats: number;
}

/** A state in which a chat was shown the instance. */
export interface SandboxTyping {
  /** A number, or the network's id of a group or, if that is all that is known, of a person. */
  readonly to: string;
  readonly state: TypingState;
}

/** The network's record of one instance. `profile` is null after an unlink, `undefined` until this process knows it. */
export interface NetworkAccount {
  profile: LinkedProfile | null | undefined;
  /**
   * By phone number, then by network id. A number stays in its groups when it is unlinked from an instance.
   */
  readonly groups: Map<string, Map<string, SandboxGroup>>;
  /** Groups that a number has left, which it may join again by their links; by network id. */
  readonly leftGroups: Map<string, SandboxGroup>;
  readonly accepted: Map<string, AcceptedMessage>;
  readonly acted: Map<string, AcceptedAction>;
  /** The latest, the newest at the end. Forgotten when the process ends. */
  readonly typing: SandboxTyping[];
  /** The people whom the number has blocked: numbers, or network ids. */
  readonly blocked: Set<string>;
  /** Receipts that the service has not taken yet, in order, by network id. */
  readonly owedReceipts: Map<string, MessageReceipt['status'][]>;
  /** Inbound messages that the service has not taken yet, in order. */
  readonly inbox: Map<string, InboundMessage>;
  /** Files that the service has not downloaded, by the network id of their messages; the oldest are lost first. */
  readonly files: Map<string, InboundFile>;
  /** Activities that the service has not taken yet, in order. */
  readonly activities: Map<string, NetworkActivity>;
  /** The chat and author of each message that the network remembers, by its network id. */
  readonly messages: Map<string, NetworkMessage>;
}

/** How many files the network keeps. The oldest are lost first. */
const KEPT_FILES = 100;

export function newAccount(): NetworkAccount {
  return {
    profile: undefined,
    groups: new Map(),
    leftGroups: new Map(),
    accepted: new Map(),
    acted: new Map(),
    typing: [],
    blocked: new Set(),
    owedReceipts: new Map(),
    inbox: new Map(),
    files: new Map(),
    activities: new Map(),
    messages: new Map(),
  };
}

/** How many of the latest displays of typing the network remembers. */
const KEPT_TYPING = 100;

export function rememberTyping({ typing }: NetworkAccount, shown: SandboxTyping): void {
  typing.push(shown);
  if (typing.length > KEPT_TYPING) typing.shift();
}

/** The network ids of the received messages that the remembered actions have marked as read. */
export function readMessages({ acted }: NetworkAccount): readonly string[] {
  const ids = [...acted.values()].flatMap(({ about, deed }) =>
    deed.kind === 'read_mark' ? [...deed.earlier.map(({ networkId }) => networkId), about] : [],
  );
  return [...new Set(ids)];
}

/** The groups of a number; by default, of the linked number. */
export function groupsOf(
  { profile, groups }: NetworkAccount,
  phoneNumber: string = profile?.phoneNumber ?? '',
): Map<string, SandboxGroup> {
  const known = groups.get(phoneNumber) ?? new Map<string, SandboxGroup>();
  groups.set(phoneNumber, known);
  return known;
}

/** The network ids of the oldest files, beyond the number that the network keeps. */
export function filesToLose({ files }: NetworkAccount): readonly string[] {
  return [...files.keys()].slice(0, Math.max(0, files.size - KEPT_FILES));
}

/**
 * Forgets the oldest messages and actions beyond the number that the network remembers of an instance. Messages that still have
 * receipts to report stay.
 */
export function forgetOldMessages(account: NetworkAccount, keptMessages: number): void {
  for (const networkId of oldest(account.accepted, keptMessages))
    if (!account.owedReceipts.has(networkId)) account.accepted.delete(networkId);
  for (const networkId of oldest(account.acted, keptMessages)) account.acted.delete(networkId);
  for (const networkId of oldest(account.messages, keptMessages)) account.messages.delete(networkId);
}

function* oldest(known: ReadonlyMap<string, unknown>, kept: number): Generator<string> {
  let tooMany = known.size - kept;
  for (const networkId of known.keys()) {
    if (tooMany <= 0) return;
    tooMany -= 1;
    yield networkId;
  }
}

export function remember(account: NetworkAccount, record: NetworkRecord): void {
  switch (record.kind) {
    case 'linked':
      account.profile = record.profile;
      break;
    case 'unlinked':
      account.profile = null;
      break;
    case 'group':
      groupsOf(account, record.phoneNumber).set(record.group.networkId, record.group);
      account.leftGroups.delete(record.group.networkId);
      break;
    case 'group_left': {
      const groups = groupsOf(account, record.phoneNumber);
      const left = groups.get(record.networkId);
      if (left) account.leftGroups.set(record.networkId, left);
      groups.delete(record.networkId);
      break;
    }
    case 'accepted': {
      const { instanceId: _instance, kind: _kind, receipts, ...accepted } = record;
      const { networkId } = accepted;
      account.accepted.set(networkId, { ...accepted, repeats: 0 });
      account.messages.set(
        networkId,
        sentTo(account, record.to === '' ? (record.contactNetworkId ?? '') : record.to),
      );
      if (receipts.length > 0) account.owedReceipts.set(networkId, [...receipts]);
      break;
    }
    case 'acted': {
      const { instanceId: _instance, kind: _kind, ...action } = record;
      account.acted.set(action.networkId, { ...action, repeats: 0 });
      break;
    }
    case 'block':
      if (record.isBlocked) account.blocked.add(record.person);
      else account.blocked.delete(record.person);
      break;
    case 'receipt_taken': {
      const owed = account.owedReceipts.get(record.networkId);
      owed?.shift();
      if (owed?.length === 0) account.owedReceipts.delete(record.networkId);
      break;
    }
    case 'inbound': {
      const { networkId, from, sender, groupNetworkId } = record.message;
      const author = from ?? sender?.networkId ?? null;
      account.inbox.set(networkId, record.message);
      account.messages.set(networkId, { author, groupNetworkId, contact: author });
      break;
    }
    case 'inbound_taken':
      account.inbox.delete(record.networkId);
      break;
    case 'file_kept':
      account.files.set(record.networkId, record.file);
      break;
    case 'file_taken':
      account.files.delete(record.networkId);
      break;
    case 'activity': {
      const { activity } = record;
      account.activities.set(activity.networkId, activity);
      if (activity.kind === 'echo') {
        const { networkId, to, groupNetworkId } = activity;
        account.messages.set(networkId, { author: null, groupNetworkId, contact: to });
      }
      break;
    }
    case 'activity_taken':
      account.activities.delete(record.networkId);
      break;
  }
}

function sentTo(account: NetworkAccount, to: string): NetworkMessage {
  const isGroup = groupsOf(account).has(to);
  return { author: null, groupNetworkId: isGroup ? to : null, contact: isGroup ? null : to };
}
