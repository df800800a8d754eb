import type { Activity, Clock, GatewayListener, MessageReceipt } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, proto } from '@whiskeysockets/baileys';
import type { BaileysEventMap, BinaryNode, Contact, WAMessage, WASocket } from '@whiskeysockets/baileys';
import type QuickLRU from 'quick-lru';
import { holdStanzas } from '../socket/held-stanzas.ts';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';
import { createPauses } from '../socket/socket-life.ts';
import type { Arrivals } from './arrivals.ts';
import { callActivity, offerIn } from './calls.ts';
import { findAdminsOf } from './group-admins.ts';
import { groupedReceipts } from './grouped-receipts.ts';
import { createInFlight } from './in-flight.ts';
import type { MediaNetwork } from './media-network.ts';
import { readContent } from './message-content.ts';
import type { MessageContent } from './message-content.ts';
import { reportOf } from './message-report.ts';
import type { MessageReport } from './message-report.ts';
import { networkIdOf } from './network-id.ts';
import { createOrderedWork } from './ordered-work.ts';
import { senderOf } from './phone-number.ts';
import { messageOf, originOf } from './stanza-message.ts';
import { unavailabilityOf, undecryptable } from './undecryptable.ts';
import type { UnreadableMessage } from './unreadable.ts';

/** How many arrivals without a file are reported concurrently. Core itself limits concurrent files. */
const CONCURRENT = 8;
/** How long to wait before a refused file is reported again, doubled each time. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

interface InboxParts {
  readonly socket: WASocket;
  readonly arrivals: Arrivals;
  readonly listener: Pick<GatewayListener, 'message' | 'receipt' | 'activity'>;
  readonly clock: Clock;
  readonly media: MediaNetwork;
  /** Calls that were reported recently. */
  readonly calls: QuickLRU<string, true>;
  /** Counts arrivals that are neither a message nor an activity of this API, by kind. */
  readonly skipped: (kind: string) => void;
  /** Called when core refuses a report. The connection must then end, and the next connection reports it again. */
  readonly refused: (error: unknown) => void;
  /** Resolves at the end of the connection. */
  readonly ended: Promise<unknown>;
}

/** Reports arrivals from the network to core, which stores them. */
export interface Inbox {
  /** Starts to report arrivals, beginning with those that an earlier connection left. */
  open(): void;
  /**
   * Resolves when all arrivals so far are reported, except files that are not accepted yet, which the next connection
   * reports.
   */
  completed(): Promise<void>;
}

export function createInbox(parts: InboxParts): Inbox {
  const { socket, arrivals, listener, clock, calls, skipped, ended } = parts;
  const { unreadable } = arrivals;
  const work = createOrderedWork(CONCURRENT);
  const pauses = createPauses(clock, ended);
  const inFlight = createInFlight();
  const takeActivity = async (activity: Activity): Promise<void> => {
    if (listener.activity) await listener.activity(activity);
    else skipped(activity.kind);
  };
  let hasRefused = false;
  const refused: InboxParts['refused'] = (error) => {
    hasRefused = true;
    parts.refused(error);
  };
  const reporting = { ...parts, takeActivity, findAdmins: findAdminsOf(socket) };

  const receive = async (message: WAMessage, read: MessageContent, stored: () => void): Promise<void> => {
    const report = await reportOf(reporting, message, read);
    const deliver = async (): Promise<void> => {
      await report?.deliver();
      arrivals.complete(message.key);
      stored();
    };
    // Texts and receipts do not wait for a file, which stays recorded until it is accepted.
    if (report?.hasFile) void untilTaken(deliver);
    else await deliver();
  };

  /** Retries a file, on the next connection if necessary, because a full media store must not end the connection. */
  const untilTaken = async (deliver: MessageReport['deliver']): Promise<void> => {
    for (let wait = FIRST_RETRY_MS; !pauses.isOver(); wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      try {
        return await deliver();
      } catch {
        // The listener has logged why it refused the file.
        await pauses.pause(wait);
      }
    }
  };

  const take = (message: WAMessage): void => {
    // The message is not readable yet. Baileys asks the sender's phone to resend it under the same id.
    if (!message.message) return;
    const read = readContent(message.message);
    // Look for the target before adding this message, which must not wait for itself.
    const target = 'target' in read ? inFlight.find(networkIdOf(read.target.id)) : null;
    const stored = read.kind === 'content' ? inFlight.add(networkIdOf(message.key.id)) : () => {};
    const report = async (): Promise<void> => {
      // The next connection reports the refused message again, and this one after it.
      if (!hasRefused) await receive(message, read, stored).catch(refused);
    };
    const run = (): void => work.run(laneOf(message), report);
    if (target) void target.then(run);
    else run();
  };

  const takeReceipts = (receipts: readonly MessageReceipt[]): void => {
    for (const receipt of receipts) {
      work.run(receipt.networkId, () => listener.receipt(receipt).catch(refused));
    }
  };

  /** Runs `report` after earlier reports with this key. Resolves when the report is accepted. */
  const inOrder = (key: string, report: () => Promise<void>): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    work.run(key, () => report().then(resolve, reject));
    promise.catch(refused);
    return promise;
  };

  const takeCall = (stanza: BinaryNode): Promise<void> | null => {
    const found = offerIn(stanza);
    if (!found || calls.has(found.id)) return null;
    return inOrder(`call/${found.id}`, async () => {
      const activity = calls.has(found.id) ? null : await callActivity(socket, stanza);
      if (activity) await takeActivity(activity);
      calls.set(found.id, true);
    });
  };

  const takeUnavailable = (stanza: BinaryNode): Promise<void> | null => {
    const { user } = socket;
    const unavailability = user ? unavailabilityOf(stanza) : null;
    if (!user || !unavailability) return null;
    const message = messageOf(originOf(stanza), user);
    if (unavailability === 'unknown') return arrivals.recordUnreadable(stanza);
    if (unavailability === 'view_once') {
      return inOrder(laneOf(message), () => reportUndecryptable(message, 'view_once'));
    }
    skipped('unavailable');
    return null;
  };

  const reportUndecryptable = async (message: WAMessage, reason: 'no_key' | 'view_once'): Promise<void> => {
    // The owner wrote the message, so their phone displays it.
    if (message.key.fromMe) return skipped('own');
    await takeActivity(await undecryptable(socket, message, reason));
  };

  const awaitReadable = async ({ identity, origin, waitMs }: UnreadableMessage): Promise<void> => {
    const { user } = socket;
    await pauses.pause(waitMs);
    if (!user || pauses.isOver()) return;
    await inOrder(`unreadable/${identity}`, async () => {
      if (!unreadable.has(identity)) return;
      await reportUndecryptable(messageOf(origin, user), 'no_key');
      await unreadable.erase(identity);
    });
  };

  arrivals.watch(socket);
  arrivals.listen(socket.user, take);
  unreadable.listen(
    (message) => void awaitReadable(message).catch(() => undefined),
    () => skipped('undecryptable'),
  );
  holdStanzas(socket, 'call', takeCall);
  holdStanzas(socket, 'message', takeUnavailable);
  // Messages that were not recorded arrive only here, as `notify` or, if sent while there was no connection, `append`.
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) if (!arrivals.wasHeard(message.key)) take(message);
  });
  interceptStanzas(socket, 'receipt', (stanza) => {
    takeReceipts(groupedReceipts(socket, stanza));
    // Baileys acknowledges the stanza.
    return false;
  });
  socket.ev.on('messages.update', (updates) => takeReceipts(directReceipts(updates)));
  socket.ev.on('message-receipt.update', (updates) => takeReceipts(groupReceipts(updates, socket.user)));

  return { open: work.release, completed: work.completed };
}

/** One person's messages in one chat are reported in order. */
function laneOf({ key }: WAMessage): string {
  return `${key.remoteJid}/${senderOf(key)}`;
}

const { DELIVERY_ACK, READ, PLAYED } = proto.WebMessageInfo.Status;

/**
 * Receipts for messages to a person. They match a message by id alone, because a receipt may name the chat differently.
 */
function directReceipts(updates: BaileysEventMap['messages.update']): readonly MessageReceipt[] {
  return updates.flatMap(({ key, update: { status } }): readonly MessageReceipt[] => {
    if (!key.id || key.fromMe === false) return [];
    const networkId = networkIdOf(key.id);
    if (status === DELIVERY_ACK) return [{ networkId, status: 'delivered' }];
    return status === READ || status === PLAYED ? [{ networkId, status: 'read' }] : [];
  });
}

/** Receipts for messages to a group, one per participant, without those from our own other devices. */
function groupReceipts(
  updates: BaileysEventMap['message-receipt.update'],
  me: Contact | undefined,
): readonly MessageReceipt[] {
  return updates.flatMap(({ key, receipt: { userJid, readTimestamp } }): readonly MessageReceipt[] => {
    const participant = userJid ?? undefined;
    const isOwn = areJidsSameUser(participant, me?.id) || areJidsSameUser(participant, me?.lid);
    if (!key.id || key.fromMe === false || isOwn) return [];
    return [{ networkId: networkIdOf(key.id), status: readTimestamp ? 'read' : 'delivered' }];
  });
}
