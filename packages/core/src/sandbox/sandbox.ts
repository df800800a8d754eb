import { checkOptionNames } from '@trunkline/option-names';
import type { MessageKindAndPayload } from '@trunkline/receiver';
import { base64, hex } from '../domain/base-encoding.ts';
import type { Capability } from '../domain/instance/instance.ts';
import type { GroupRole } from '../domain/instance/group-request.ts';
import type { MediaType } from '../domain/message/media-rules.ts';
import type { PasskeyCredential } from '../domain/instance/passkey.ts';
import { refuse } from '../domain/result.ts';
import type { Gateway, GatewayContext, GatewayListener, LinkedProfile } from '../ports/gateway.ts';
import { CAPABILITIES, kindText } from '../services/message-kinds/message-kinds.ts';
import { unwrap } from '../trunkline-error.ts';
import { forgetOldMessages, groupsOf, newAccount, readMessages, remember } from './network-account.ts';
import type { AcceptedAction, AcceptedMessage, NetworkAccount, SandboxTyping } from './network-account.ts';
import type {
  ActivityOn,
  InboundFile,
  NetworkActivity,
  NetworkJournal,
  NetworkMessage,
  NetworkRecord,
} from './network-record.ts';
import { personOf } from './person.ts';
import type { SandboxPerson } from './person.ts';
import { openConnection } from './sandbox-connection.ts';
import { inviteLink } from './sandbox-groups.ts';
import { checkSandboxCredentials, profileOf, SANDBOX_CREDENTIALS } from './sandbox-credentials.ts';
import type { SandboxConnection } from './sandbox-connection.ts';

/** A messaging network without phones, for trying the service and for tests of apps that use it. */
export interface Sandbox {
  readonly gateway: Gateway;
  /** The simulated phone of an instance, which you control. */
  phone(instanceId: string): SandboxPhone;
}

/** A simulated phone. A method throws INVALID_INSTANCE_STATE if the phone cannot do that now. */
export interface SandboxPhone {
  /** Scans the QR that the instance shows. */
  scan(profile?: {
    readonly phoneNumber?: string | undefined;
    readonly profileName?: string | undefined;
    /**
     * Whether the network links the number only with the passkey of its account; `then_code` also has a person confirm
     * that the phone shows a code. Default false.
     */
    readonly passkey?: boolean | 'then_code' | undefined;
    /** The capabilities of the number; by default, those of the network. */
    readonly capabilities?: readonly Capability[] | undefined;
  }): Promise<void>;
  /** Uses the passkey that the network waits for, and returns the answer that a browser would show. */
  signPasskey(): Promise<PasskeyCredential>;
  /**
   * Sends a message to the instance, as a person. Returns the network's id of the message. Nothing arrives from a person
   * whom the number has blocked.
   */
  receive(message: SandboxMessage): Promise<string>;
  /**
   * Sends a message as the owner of the phone, which the service gets as an echo. Returns the network's id of the
   * message.
   */
  write(message: SandboxEcho): Promise<string>;
  /** Reacts to a message, as a person. Null takes the reaction back. */
  react(reaction: SandboxDeed & { readonly emoji: string | null }): Promise<void>;
  /**
   * Votes in a poll, as a person; without an answer, takes the vote back. The service refuses answers that the poll does
   * not have.
   */
  vote(vote: SandboxDeed & { readonly options: readonly string[] }): Promise<void>;
  /**
   * Changes the text or the caption of a message, as a person. The service refuses edits by anyone but the
   * author.
   */
  edit(edit: SandboxDeed & { readonly text: string }): Promise<void>;
  /**
   * Deletes a message for everyone, as a person. The service refuses deletions by anyone but the author,
   * except in a group.
   */
  delete(deletion: SandboxDeed): Promise<void>;
  /**
   * Sends a better copy of a message's file from its author's phone. The service refuses copies from anyone
   * else.
   */
  updateMedia(update: SandboxDeed & { readonly file: SandboxFile }): Promise<void>;
  /** Calls the number, as a person. */
  call(call: SandboxCall): Promise<void>;
  /** Sends a message that only the phone can show, as a person. Returns the network's id of the message. */
  receiveUndecryptable(message: SandboxUndecryptable): Promise<string>;
  /**
   * Adds the number to a new group, as an admin unless `ownRole` says otherwise. Returns the network's id of the group.
   */
  addGroup(group: {
    readonly name: string;
    readonly participantsCount: number;
    readonly ownRole?: GroupRole | undefined;
  }): Promise<string>;
  /** Makes a group that the number is not in. Returns the link by which it can join, or ask an admin to be let in. */
  offerGroup(group: { readonly name: string; readonly asksAdmin?: boolean | undefined }): Promise<string>;
  /** A person asks to be let into a group of the number. */
  askToJoin(networkId: string, phoneNumber: string): Promise<void>;
  /** Makes the number leave a group. */
  leaveGroup(networkId: string): Promise<void>;
  /** Drops the connection, which can be opened again. */
  drop(): Promise<void>;
  /** Removes the linked device on the phone. */
  unlink(): Promise<void>;
  /** Makes the network refuse the instance for good. */
  fail(): Promise<void>;
  /** The messages that the network accepted from this instance and still remembers, oldest first. */
  accepted(): readonly AcceptedMessage[];
  /** The actions on messages that the network accepted from this instance and still remembers, oldest first. */
  acted(): readonly AcceptedAction[];
  /** The network's ids of the received messages that the instance has marked as read, by the actions in `acted`. */
  read(): readonly string[];
  /** The people whom the number has blocked: their numbers, or network ids. */
  blocked(): readonly string[];
  /** The states in which chats were shown this instance lately, the newest at the end. */
  typing(): readonly SandboxTyping[];
}

/** A message to the instance. */
export interface SandboxMessage {
  /** The sender's number, in digits. Null if the sender hides it: then `sender` has a network id. */
  readonly from: string | null;
  readonly sender?: SandboxPerson | undefined;
  /** The text, or the caption of the file. By default, the description of the kind in `detail`, if any. */
  readonly text?: string | undefined;
  readonly file?: SandboxFile | undefined;
  readonly groupNetworkId?: string | undefined;
  /** The kind of the message, more specific than a text or a file, with its fields. */
  readonly detail?: MessageKindAndPayload | undefined;
  /** When the sender's phone sent the message, in epoch milliseconds; may be wrong. By default, now. */
  readonly sentAt?: number | undefined;
  /** The network's id of the quoted message, as `accepted` and `receive` return it. */
  readonly replyTo?: string | undefined;
  /**
   * The network's id of the message. An id that was delivered before makes the message a repeat. By default,
   * a new id.
   */
  readonly networkId?: string | undefined;
}

/** A message that the owner of the phone sends: to a number, or to a group. */
export interface SandboxEcho extends Pick<SandboxMessage, 'text' | 'file' | 'groupNetworkId'> {
  readonly to?: string | undefined;
}

/** An act on a message. */
export interface SandboxDeed {
  /** The network's id of the message, as `receive`, `write` and `accepted` return it. */
  readonly about: string;
  /** The number of the actor, or their network id if they hide it. By default, the owner of the phone. */
  readonly from?: string | undefined;
  /**
   * The chat and author of the message, in case the network has forgotten them, as it does when its process
   * ends.
   */
  readonly message?: NetworkMessage | undefined;
}

export interface SandboxCall {
  readonly from: string;
  readonly video?: boolean | undefined;
  readonly groupNetworkId?: string | undefined;
}

export interface SandboxUndecryptable {
  readonly from: string;
  readonly groupNetworkId?: string | undefined;
  /** By default, `view_once`. */
  readonly reason?: 'no_key' | 'view_once' | undefined;
}

export interface SandboxFile {
  readonly type: MediaType;
  readonly content: Uint8Array;
  /** The type that the sender's phone reports; by default `application/octet-stream`, as if it knew none. */
  readonly mimeType?: string | undefined;
  readonly filename?: string | undefined;
  /**
   * How many milliseconds the network takes to deliver the file; `Infinity` if it never does. By default,
   * delivery is immediate.
   */
  readonly delayMs?: number | undefined;
}

export interface SandboxOptions {
  /**
   * How instances are linked: by a phone that scans a QR, or by credentials, which the network `sandbox_credentials`
   * checks. Default `phone`.
   */
  readonly linkedBy?: 'phone' | 'credentials' | undefined;
  /** Lets the network remember its events after its process ends. */
  readonly journal?: NetworkJournal | undefined;
  /**
   * Whether phones scan every QR as soon as it is shown, so that no call of `scan` is needed. Default false.
   */
  readonly scansQrs?: boolean | undefined;
  /**
   * How many messages of each instance, sent or received, the network remembers; the latest are kept. Default
   * 10,000.
   */
  readonly keptMessages?: number | undefined;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  checkOptionNames('createSandbox', options, {
    journal: true,
    linkedBy: true,
    scansQrs: true,
    keptMessages: true,
  });
  const { journal, linkedBy = 'phone', scansQrs = false, keptMessages = KEPT_MESSAGES } = options;
  if (linkedBy !== 'phone' && linkedBy !== 'credentials')
    throw new TypeError(
      `createSandbox: linkedBy must be phone or credentials, not ${JSON.stringify(linkedBy)}.`,
    );
  if (typeof scansQrs !== 'boolean')
    throw new TypeError(`createSandbox: scansQrs must be true or false, not ${JSON.stringify(scansQrs)}.`);
  if (!Number.isInteger(keptMessages) || keptMessages < 1)
    throw new TypeError(
      `createSandbox: keptMessages must be a whole number above 0, not ${JSON.stringify(keptMessages)}.`,
    );
  const accounts = new Map<string, NetworkAccount>();
  const connections = new Map<string, SandboxConnection>();
  let attached: GatewayContext | null = null;

  const accountOf = (instanceId: string): NetworkAccount => {
    const account = accounts.get(instanceId) ?? newAccount();
    accounts.set(instanceId, account);
    return account;
  };
  /** Accounts that are neither connected nor linked, the latest last: most of their instances were deleted. */
  const idle = new Set<string>();
  const noteIdle = (instanceId: string): void => {
    idle.delete(instanceId);
    if (connections.has(instanceId) || accountOf(instanceId).profile) return;
    idle.add(instanceId);
    for (const oldest of idle) {
      if (idle.size <= KEPT_IDLE_ACCOUNTS) return;
      idle.delete(oldest);
      accounts.delete(oldest);
    }
  };
  const record = (happening: NetworkRecord): void => {
    journal?.append(happening);
    const account = accountOf(happening.instanceId);
    remember(account, happening);
    forgetOldMessages(account, keptMessages);
    if (happening.kind === 'unlinked') noteIdle(happening.instanceId);
  };
  const context = (): GatewayContext => {
    if (!attached)
      throw new Error(
        'The sandbox gateway is not part of a Trunkline yet: give it to createTrunkline in the option "gateways".',
      );
    return attached;
  };
  const newName = (prefix: string): string => prefix + hex(context().random.bytes(10));

  for (const happening of journal?.load() ?? []) remember(accountOf(happening.instanceId), happening);
  for (const [instanceId, account] of accounts) {
    forgetOldMessages(account, keptMessages);
    noteIdle(instanceId);
  }

  const gateway: Gateway = {
    ...(linkedBy === 'phone' ? BY_PHONE : BY_CREDENTIALS),
    isSimulated: true,
    capabilities: CAPABILITIES,
    actionsWithinMs: { edits: EDITABLE_MS, deletions: DELETABLE_MS },
    sendsAtOnce: SENDS_AT_ONCE,
    attach(given) {
      attached = given;
    },
    newMessageId: (random) => `SBX${hex(random).toUpperCase()}`,
    async open(session, listener, { pairingNumber, credentials } = { pairingNumber: null }) {
      const { instanceId } = session;
      const connection = openConnection({
        context: context(),
        account: accountOf(instanceId),
        session,
        listener: scansQrs
          ? scanning(listener, () => connections.get(instanceId)?.isPairing() && phone(instanceId).scan())
          : listener,
        showsCode: pairingNumber !== null,
        given: credentials ? profileOf(credentials) : null,
        record,
        onClosed() {
          if (connections.get(instanceId) === connection) connections.delete(instanceId);
          noteIdle(instanceId);
        },
      });
      connections.set(instanceId, connection);
      idle.delete(instanceId);
      return connection;
    },
    async unlink({ instanceId }) {
      record({ instanceId, kind: 'unlinked' });
    },
  };

  const phone = (instanceId: string): SandboxPhone => {
    const online = (): SandboxConnection => {
      const connection = connections.get(instanceId);
      return connection?.isOpen() ? connection : cannot('The instance is not connected: connect it first.');
    };
    const linkedNumber = (): string =>
      accountOf(instanceId).profile?.phoneNumber ??
      cannot('The instance has no linked number: connect it and scan its QR first.');
    /** Reports an activity that happens now. Returns its network id. */
    const happens = (prefix: string, activity: Happening): string => {
      const connection = online();
      const networkId = newName(prefix);
      const at = context().clock.now();
      record({ instanceId, kind: 'activity', activity: { ...activity, networkId, at } });
      connection.deliver();
      return networkId;
    };
    const on = ({ about, from, message }: SandboxDeed): ActivityOn => {
      const known =
        message ??
        accountOf(instanceId).messages.get(about) ??
        cannot('The network knows no such message: name an id that receive, write or accepted returned.');
      return { ...known, about, own: from === undefined, contact: from ?? known.contact };
    };
    return {
      async scan(profile = {}) {
        const connection = connections.get(instanceId);
        if (!connection?.isPairing())
          return cannot('The instance shows no QR: connect it, and wait until its status is qr_required.');
        const linked: LinkedProfile = {
          phoneNumber: profile.phoneNumber ?? newPhoneNumber(context().random.bytes(4)),
          profileName: profile.profileName ?? 'Sandbox phone',
          profilePictureUrl: null,
          capabilities: profile.capabilities ?? null,
        };
        const { passkey = false } = profile;
        if (passkey === false) return connection.pair(linked);
        await connection.askForPasskey(passkey === 'then_code', () => connection.pair(linked));
      },
      async signPasskey() {
        return (
          connections.get(instanceId)?.signPasskey() ??
          cannot(
            'The network does not wait for a passkey: connect the instance, and scan its QR with a passkey.',
          )
        );
      },
      async receive(message) {
        const connection = online();
        const now = context().clock.now();
        const { from, sender, groupNetworkId = null, detail, replyTo } = message;
        if (personOf(from, sender).networkId === '')
          cannot('Nobody sends this message: give the number of its sender, or a sender with a networkId.');
        const { networkId = newName('IN'), sentAt = now } = message;
        if (accountOf(instanceId).blocked.has(from ?? sender?.networkId ?? '')) return networkId;
        const { text = detail ? kindText(detail) : '' } = message;
        record({
          instanceId,
          kind: 'inbound',
          message: {
            networkId,
            from,
            groupNetworkId,
            text,
            file: message.file ? inboundFile(message.file, now) : null,
            sentAt,
            ...(sender && { sender }),
            ...(detail && { detail }),
            ...(replyTo !== undefined && { replyTo }),
          },
        });
        connection.deliver();
        return networkId;
      },
      async write({ to = null, groupNetworkId = null, text = '', file }) {
        return happens('OUT', {
          kind: 'echo',
          to,
          groupNetworkId,
          text,
          file: file ? inboundFile(file, context().clock.now()) : null,
        });
      },
      async react({ emoji, ...deed }) {
        happens('ACT', { kind: 'reaction', emoji, ...on(deed) });
      },
      async vote({ options, ...deed }) {
        happens('ACT', { kind: 'vote', options: [...options], ...on(deed) });
      },
      async edit({ text, ...deed }) {
        happens('ACT', { kind: 'edit', text, ...on(deed) });
      },
      async delete(deed) {
        happens('ACT', { kind: 'deletion', ...on(deed) });
      },
      async updateMedia({ file, ...deed }) {
        const better = inboundFile(file, context().clock.now());
        happens('ACT', { kind: 'media_update', file: better, ...on(deed) });
      },
      async call({ from, video = false, groupNetworkId = null }) {
        happens('CALL', { kind: 'call', from, video, groupNetworkId });
      },
      async receiveUndecryptable({ from, groupNetworkId = null, reason = 'view_once' }) {
        return happens('IN', { kind: 'undecryptable', from, groupNetworkId, reason });
      },
      async addGroup({ name, participantsCount, ownRole = 'admin' }) {
        const connection = online();
        const group = { networkId: newName('group-'), name, participantsCount, ownRole };
        record({ instanceId, kind: 'group', phoneNumber: linkedNumber(), group });
        await connection.report(group);
        return group.networkId;
      },
      async offerGroup({ name, asksAdmin = false }) {
        const [networkId, inviteCode, phoneNumber] = [newName('group-'), newName(''), linkedNumber()];
        const group = { networkId, name, participantsCount: 5, inviteCode, asksAdmin };
        record({ instanceId, kind: 'group', phoneNumber, group });
        record({ instanceId, kind: 'group_left', phoneNumber, networkId });
        return inviteLink(inviteCode);
      },
      async askToJoin(networkId, phoneNumber) {
        const group = groupsOf(accountOf(instanceId)).get(networkId);
        if (!group) return cannot('The number is in no such group.');
        const asking = { ...group.asking, [phoneNumber]: context().clock.now() };
        record({ instanceId, kind: 'group', phoneNumber: linkedNumber(), group: { ...group, asking } });
      },
      async leaveGroup(networkId) {
        const connection = online();
        record({ instanceId, kind: 'group_left', phoneNumber: linkedNumber(), networkId });
        await connection.reportAll();
      },
      drop: () => online().end({ kind: 'dropped', detail: 'connection_lost' }),
      async unlink() {
        const connection = online();
        record({ instanceId, kind: 'unlinked' });
        await connection.end({ kind: 'unlinked' });
      },
      fail: () => online().end({ kind: 'failed', code: 'sandbox_failure' }),
      accepted: () => [...accountOf(instanceId).accepted.values()],
      acted: () => [...accountOf(instanceId).acted.values()],
      read: () => readMessages(accountOf(instanceId)),
      blocked: () => [...accountOf(instanceId).blocked],
      typing: () => [...accountOf(instanceId).typing],
    };
  };

  return { gateway, phone };
}

function scanning(listener: GatewayListener, scan: () => unknown): GatewayListener {
  return {
    ...listener,
    async qr(...shown) {
      await listener.qr(...shown);
      await scan();
    },
  };
}

type Happening = WithoutStamp<NetworkActivity>;
type WithoutStamp<Activity> = Activity extends NetworkActivity ? Omit<Activity, 'networkId' | 'at'> : never;

/** How many messages of an instance are on their way at the same time, each to another recipient. */
const SENDS_AT_ONCE = 16;
/** How long a message can be edited, and be deleted for everyone, as on WhatsApp. */
const EDITABLE_MS = 15 * 60_000;
const DELETABLE_MS = 60 * 60 * 60_000;
/** How many messages of an instance the network remembers by default. */
const KEPT_MESSAGES = 10_000;
/**
 * How many accounts without a linked number the network remembers, with their groups; the latest are kept.
 */
const KEPT_IDLE_ACCOUNTS = 100;

const BY_PHONE = {
  network: 'sandbox',
  title: 'Sandbox',
  linking: ['qr', 'pairing_code'],
} as const;
const BY_CREDENTIALS = {
  network: 'sandbox_credentials',
  title: 'Sandbox with credentials',
  linking: ['credentials'],
  credentials: SANDBOX_CREDENTIALS,
  checkCredentials: checkSandboxCredentials,
} as const;

function inboundFile(file: SandboxFile, now: number): InboundFile {
  const { type, content, mimeType = 'application/octet-stream', filename = null, delayMs } = file;
  const known = { type, mimeType, filename, base64: base64(content) };
  if (delayMs === undefined) return known;
  // The journal's JSON does not have Infinity.
  return { ...known, availableAt: Number.isFinite(delayMs) ? now + delayMs : null };
}

/**
 * A number with the unassigned area code 555, because the 555-01xx range for fiction is too small for many phones.
 */
function newPhoneNumber(random: Uint8Array): string {
  const digits = new DataView(random.buffer, random.byteOffset).getUint32(0) % 10_000_000;
  return `1555${String(digits).padStart(7, '0')}`;
}

function cannot(why: string): never {
  return unwrap(refuse('INVALID_INSTANCE_STATE', why));
}
