import { pause } from '@trunkline/core/spi/gateway';
import type {
  Clock,
  ContactReport,
  OutgoingAction,
  OutgoingMessage,
  SendOutcome,
} from '@trunkline/core/spi/gateway';
import { isLidUser, WAMessageAddressingMode } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket, proto } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import type { HistoryReader } from '../history/read-history.ts';
import type { GroupDirectory } from '../inbound/group-directory.ts';
import { isNoMember } from '../inbound/groups.ts';
import type { Groups } from '../inbound/groups.ts';
import type { RestrictionQueries, Restrictions } from '../restrictions.ts';
import type { SentMessages } from '../session/sent-messages.ts';
import type { SessionValues } from '../session/session-values.ts';
import type { Acks } from './acks.ts';
import type { ChatTimers } from './chat-timers.ts';
import { compose } from './compose.ts';
import { composeAction } from './compose-action.ts';
import { markRead } from './mark-read.ts';
import type { ReadReceipts } from './mark-read.ts';
import {
  ackOutcome,
  CONNECTION_CLOSED,
  GROUP_UNREACHABLE,
  isClosed,
  notOnWhatsApp,
  notWritten,
  provesNothingWritten,
  refused,
  UNREACHABLE,
} from './outcomes.ts';
import type { InTime } from '../socket/query-time.ts';
import { briefly } from '../socket/status-code.ts';
import { findAddresses, registeredElsewhere, rememberAddress } from './recipients.ts';
import type { Addresses, RecipientCache } from './recipients.ts';
import { writeMentions } from './mentions.ts';
import { tokenNodes } from './privacy-nodes.ts';
import { canEncryptFor, reachGroup } from './reach.ts';
import { relay } from './relay.ts';

export interface Outbox {
  readonly socket: WASocket;
  readonly logger: ILogger;
  readonly clock: Clock;
  readonly inTime: InTime;
  readonly acks: Acks;
  readonly groupsInFlight: Set<string>;
  readonly sent: SentMessages;
  readonly values: SessionValues;
  readonly recipients: RecipientCache;
  readonly directory: GroupDirectory;
  readonly findGroup: Groups['find'];
  readonly timers: ChatTimers;
  readonly readReceipts: ReadReceipts;
  readonly restrictions: Restrictions;
  readonly standing: RestrictionQueries;
  readonly history: Pick<HistoryReader, 'settled'>;
}

/** An outbox that calls `writing` before a message is written. */
type WatchedOutbox = Outbox & { readonly writing: () => void };

interface Chat extends Addresses {
  /** The seconds after which messages disappear in the chat; null if they stay. */
  readonly timer: number | null;
  /** Whether people in the chat are addressed by hidden ids (LIDs). */
  readonly usesHiddenIds: boolean;
  /** The recipient, if the network registers that person under a number other than the one dialled. */
  readonly recipient?: ContactReport;
  /** The devices of a group that cannot get its key. */
  readonly unreachable?: readonly string[];
  /** The token by which WhatsApp recognises a person who has given none, if there is one. */
  readonly nodes?: readonly BinaryNode[];
}

/** A message that only has to be encrypted and written. */
interface Prepared {
  readonly kind: 'prepared';
  readonly chat: Chat;
  readonly content: proto.IMessage;
}

/**
 * Sends a message and returns the outcome. Calls `writing` before any part of the message may be written: until then, a
 * failure means that nothing was sent.
 */
export async function sendMessage(
  outbox: Outbox,
  message: OutgoingMessage,
  writing: () => void,
): Promise<SendOutcome> {
  if (message.content.type === 'audio' && message.content.caption) return NO_CAPTION;
  const prepared = await prepare(outbox, message, (chat) => compose(outbox, chat, message));
  if (prepared.kind !== 'prepared') return prepared;
  await showTyping(outbox, prepared.chat, message);
  const outcome = await write(outbox, { message, prepared, writing });
  const { recipient } = prepared.chat;
  return recipient ? { ...outcome, recipient } : outcome;
}

const NO_CAPTION = refused(
  'caption_not_supported',
  'WhatsApp shows no caption with an audio message: send it without one.',
);

/** Carries out an action on a message, in the same way. */
export async function sendAction(
  outbox: Outbox,
  action: OutgoingAction,
  writing: () => void,
): Promise<SendOutcome> {
  const { about, deed } = action;
  if (deed.kind === 'read_mark')
    return watch(outbox, { message: action, writing }, (watched) => markRead(watched, action, deed.earlier));
  if (deed.kind === 'edit' && deed.type === 'audio') return NO_CAPTION;
  const now = outbox.clock.now();
  const prepared = await prepare(outbox, action, async (chat) => {
    const written = deed.kind === 'edit' ? await writeMentions(outbox, chat, deed) : null;
    return composeAction(chat.jid, { about, deed: { ...deed, ...written } }, now);
  });
  if (prepared.kind !== 'prepared') return prepared;
  const outcome = await write(outbox, { message: action, prepared, writing });
  // A phone that could not read the message must not get it any more.
  if (deed.kind === 'deletion' && outcome.kind === 'accepted') await outbox.sent.forget(about.networkId);
  return outcome;
}

/** Shows the recipient that a text is being typed, until it comes. Apps end the display themselves. */
async function showTyping(
  { socket, clock, logger }: Outbox,
  { jid }: Chat,
  { typingMs = 0 }: Pick<OutgoingMessage, 'typingMs'>,
): Promise<void> {
  if (typingMs <= 0) return;
  await socket.sendPresenceUpdate('composing', jid).catch((error: unknown) => {
    logger.debug({ reason: briefly(error) }, 'a recipient could not be shown that a text is being typed');
  });
  await pause(clock, typingMs);
}

/** The address of a message or an action, and its id on the network. */
type Addressed = Pick<OutgoingMessage, 'networkId' | 'to' | 'isGroup' | 'contactNetworkId'>;

interface Writing {
  readonly message: Addressed;
  readonly writing: () => void;
}

function write(
  outbox: Outbox,
  { prepared, ...writing }: Writing & { readonly prepared: Prepared },
): Promise<SendOutcome> {
  const { message } = writing;
  return watch(outbox, writing, (watched) =>
    (message.isGroup ? sendToGroup : sendToPerson)(watched, message, prepared),
  );
}

/** Turns a failure into an outcome, which depends on whether anything may have been written before it. */
async function watch(
  outbox: Outbox,
  { message, writing }: Writing,
  send: (watched: WatchedOutbox) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  let mayBeWritten = false;
  const watched = {
    ...outbox,
    writing() {
      mayBeWritten = true;
      writing();
    },
  };
  try {
    return await send(watched);
  } catch (error) {
    if (message.isGroup && isNoMember(error)) return NOT_IN_GROUP;
    if (!mayBeWritten) return notWritten(error, outbox.socket.ws.isOpen);
    if (isClosed(error)) return { kind: 'unknown', reason: CONNECTION_CLOSED };
    return provesNothingWritten(error)
      ? notWritten(error, true)
      : { kind: 'unknown', reason: briefly(error) };
  }
}

const NOT_IN_GROUP = refused(
  'group_unknown',
  'The number of this instance is no longer in the group: have it added again.',
);

/** Makes the queries and uploads that can precede the writing of a message. */
async function prepare(
  outbox: Outbox,
  message: Addressed,
  composed: (chat: Chat) => Promise<proto.IMessage>,
): Promise<Prepared | SendOutcome> {
  try {
    const chat = await (message.isGroup ? findGroupChat(outbox, message.to) : findPerson(outbox, message));
    return 'kind' in chat ? chat : { kind: 'prepared', chat, content: await composed(chat) };
  } catch (error) {
    return notWritten(error, outbox.socket.ws.isOpen);
  }
}

async function findPerson(outbox: Outbox, message: Addressed): Promise<Chat | SendOutcome> {
  const { socket, timers } = outbox;
  const addresses = await findAddresses(outbox, message);
  if (!addresses) return notOnWhatsApp;
  if (!(await canEncryptFor(outbox, addresses.jid))) return UNREACHABLE;
  const recipient = await registeredElsewhere(socket, message, addresses);
  const timer = await timers.find([addresses.jid, addresses.other]);
  const nodes = await tokenNodes(outbox, addresses);
  const usesHiddenIds = isLidUser(addresses.jid) === true;
  return { ...addresses, usesHiddenIds, timer, nodes, ...(recipient && { recipient }) };
}

async function findGroupChat(outbox: Outbox, jid: string): Promise<Chat | SendOutcome> {
  const group = await outbox.findGroup(jid).catch((error: unknown) => {
    if (isNoMember(error)) return null;
    throw error;
  });
  if (!group) return NOT_IN_GROUP;
  const { unreachable, isInVain } = await reachGroup(outbox, group);
  if (isInVain) return GROUP_UNREACHABLE;
  const usesHiddenIds = group.addressingMode === WAMessageAddressingMode.LID;
  return { jid, other: null, usesHiddenIds, timer: group.ephemeralDuration || null, unreachable };
}

/**
 * Tries a person's other address after error 463, unless the network says that it restricts the number: then another
 * attempt could make the restriction worse.
 */
async function sendToPerson(
  outbox: WatchedOutbox,
  { networkId }: Addressed,
  { chat, content }: Prepared,
): Promise<SendOutcome> {
  const { socket, restrictions, standing } = outbox;
  const { jid, other, nodes } = chat;
  const error = await relay(outbox, { jid, networkId, nodes }, content);
  if (error !== '463') return ackOutcome(error);
  if (restrictions.current() === null) await standing.askAfterRefusal();
  if (other === null || restrictions.current() !== null) return ackOutcome(error);
  // The refusal of the first address proves that nothing was delivered.
  const found = await canEncryptFor(outbox, other).catch((failure: unknown) =>
    notWritten(failure, socket.ws.isOpen),
  );
  if (found === false) return ackOutcome(error);
  if (found !== true) return found;
  const again = await relay(outbox, { jid: other, networkId, nodes, refusedAt: jid }, content);
  // If storing the address fails, the connection ends anyway; the message has its outcome.
  if (again === null) await rememberAddress(socket, { jid: other, other: jid }).catch(() => undefined);
  return ackOutcome(again);
}

/** Sends again after error 421: our list of members was outdated. */
async function sendToGroup(
  outbox: WatchedOutbox,
  { networkId }: Addressed,
  { chat: { jid, unreachable }, content }: Prepared,
): Promise<SendOutcome> {
  const error = await relay(outbox, { jid, networkId, unreachable }, content);
  if (error !== '421') return ackOutcome(error);
  outbox.directory.delete(jid);
  // The refusal proves that nothing was delivered.
  const chat = await findGroupChat(outbox, jid).catch((failure: unknown) =>
    notWritten(failure, outbox.socket.ws.isOpen),
  );
  if ('kind' in chat) return chat;
  return ackOutcome(await relay(outbox, { jid, networkId, unreachable: chat.unreachable }, content));
}
