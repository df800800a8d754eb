import type { Clock, GatewayListener, IncomingMessage, MessageReceipt } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, proto } from '@whiskeysockets/baileys';
import type { BaileysEventMap, Contact, WAMessage, WASocket } from '@whiskeysockets/baileys';
import { createPauses } from '../socket/socket-life.ts';
import type { Arrivals } from './arrivals.ts';
import { incomingMessage } from './incoming-message.ts';
import { readContent } from './message-content.ts';
import { networkIdOf } from './network-id.ts';
import { createOrderedWork } from './ordered-work.ts';
import { senderOf } from './phone-number.ts';

/** Texts and receipts that are stored concurrently. Files are not among them: core says how many it takes. */
const CONCURRENT = 8;
/** How long after it was not taken a file is reported again: doubled each time. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

interface InboxParts {
  readonly socket: WASocket;
  readonly arrivals: Arrivals;
  readonly listener: Pick<GatewayListener, 'message' | 'receipt'>;
  readonly clock: Clock;
  /** Counts a message that is none of this API, by its kind. */
  readonly skipped: (kind: string) => void;
  /** A report was not taken: the connection is to end, and what arrived is reported again by the next. */
  readonly refused: (error: unknown) => void;
  /** Resolves at the end of the connection. */
  readonly ended: Promise<unknown>;
}

/** Takes what the network delivers to where it is stored. */
export interface Inbox {
  /** The connection is open: reports what has come, beginning with what an earlier connection left. */
  open(): void;
  /** Resolves when what has come so far is reported: files that are not taken yet are left to the next connection. */
  completed(): Promise<void>;
}

export function createInbox(parts: InboxParts): Inbox {
  const { socket, arrivals, listener, clock, skipped, refused, ended } = parts;
  const work = createOrderedWork(CONCURRENT);
  const retries = createPauses(clock, ended);

  const receive = async (message: WAMessage): Promise<void> => {
    // Not readable yet: the sender's phone is asked to send it again, under the same id.
    if (!message.message) return;
    const read = readContent(message.message);
    if (message.key.fromMe) skipped('own');
    else if (read.kind === 'other') skipped(read.name);
    else {
      const incoming = await incomingMessage({ socket, clock }, message, read.content);
      // Neither texts nor receipts wait for a file. It stays recorded until it is taken, which is what bounds the memory.
      if (incoming.content.type !== 'text') return void reportFile(message, incoming);
      await listener.message(incoming);
    }
    arrivals.complete(message.key);
  };

  /** A media store that is full must not cost the connection: it is tried again on this one, or else on the next. */
  const reportFile = async (message: WAMessage, incoming: IncomingMessage): Promise<void> => {
    for (let wait = FIRST_RETRY_MS; !retries.isOver(); wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      try {
        await listener.message(incoming);
        return arrivals.complete(message.key);
      } catch {
        // The listener that did not take it has logged why.
        await retries.pause(wait);
      }
    }
  };

  const take = (message: WAMessage): void =>
    work.run(`${message.key.remoteJid}/${senderOf(message.key)}`, () => receive(message).catch(refused));

  const takeReceipts = (receipts: readonly MessageReceipt[]): void => {
    for (const receipt of receipts) {
      work.run(receipt.networkId, () => listener.receipt(receipt).catch(refused));
    }
  };

  arrivals.watch(socket);
  arrivals.listen(socket.user, take);
  // What is not recorded comes this way alone. Of both types: what was written while we were away is of type `append`.
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) if (!arrivals.wasHeard(message.key)) take(message);
  });
  socket.ev.on('messages.update', (updates) => takeReceipts(directReceipts(updates)));
  socket.ev.on('message-receipt.update', (updates) => takeReceipts(groupReceipts(updates, socket.user)));

  return { open: work.release, completed: work.completed };
}

const { DELIVERY_ACK, READ, PLAYED } = proto.WebMessageInfo.Status;

/** Receipts of messages to a person. They name the message by its id; how they name the chat changes from one to the next. */
function directReceipts(updates: BaileysEventMap['messages.update']): readonly MessageReceipt[] {
  return updates.flatMap(({ key, update: { status } }): readonly MessageReceipt[] => {
    if (!key.id || key.fromMe === false) return [];
    const networkId = networkIdOf(key.id);
    if (status === DELIVERY_ACK) return [{ networkId, status: 'delivered' }];
    return status === READ || status === PLAYED ? [{ networkId, status: 'read' }] : [];
  });
}

/** Receipts of messages to a group, one for each participant. Those of our own other devices say nothing about others. */
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
