import type { Clock, MessageOnNetwork, OutgoingAction, SendOutcome } from '@trunkline/core/spi/gateway';
import { jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import type { InTime } from '../socket/query-time.ts';
import { ackInTime } from './acks.ts';
import type { Acks } from './acks.ts';
import { ackOutcome } from './outcomes.ts';
import { knownAddresses } from './recipients.ts';
import type { Search } from './recipients.ts';

/** Whether the authors of messages see that they were read, or only the owner's own devices do. */
type ReceiptType = 'read' | 'read-self';

/** Returns the type of receipt that the owner of the number has chosen for the account. */
export type ReadReceipts = () => Promise<ReceiptType>;

/** How long the choice counts. The owner may change it on the phone, and Baileys never asks again by itself. */
const CHOICE_MS = 10 * 60_000;

export function createReadReceipts(socket: WASocket, clock: Clock, inTime: InTime): ReadReceipts {
  let known: { readonly type: ReceiptType; readonly until: number } | null = null;
  return async () => {
    if (known !== null && clock.elapsed() < known.until) return known.type;
    const settings = await inTime('the privacy settings', socket.fetchPrivacySettings(true));
    const type = settings['readreceipts'] === 'none' ? 'read-self' : 'read';
    known = { type, until: clock.elapsed() + CHOICE_MS };
    return type;
  };
}

interface Receipts extends Search {
  readonly clock: Clock;
  readonly acks: Acks;
  readonly readReceipts: ReadReceipts;
  readonly writing: () => void;
}

/**
 * Sends receipts for messages of one chat, as `MarkRead` of whatsmeow does: one for all messages of each author. Nothing is
 * asked about people, because the messages came from addresses that are known.
 */
export async function markRead(
  outbox: Receipts,
  { about, ...chat }: Pick<OutgoingAction, 'to' | 'isGroup' | 'contactNetworkId' | 'about'>,
  earlier: readonly MessageOnNetwork[],
): Promise<SendOutcome> {
  const { socket, clock, acks, readReceipts, writing } = outbox;
  const type = await readReceipts();
  const jid = chat.isGroup ? chat.to : ((await knownAddresses(outbox, chat))?.jid ?? about.senderId);
  const idsOf = new Map<string, string[]>();
  for (const { networkId, senderId } of [about, ...earlier]) {
    // Without an author, the message was erased meanwhile.
    if (senderId === null) continue;
    const author = jidNormalizedUser(senderId);
    idsOf.set(author, [...(idsOf.get(author) ?? []), networkId]);
  }
  const expected = [];
  try {
    for (const [author, ids] of chat.isGroup ? idsOf : [[undefined, [...idsOf.values()].flat()] as const]) {
      const [first] = ids;
      if (first === undefined || jid === null) continue;
      const ack = acks.expectReceipt(first, type);
      expected.push(ack);
      writing();
      await socket.sendReceipt(jid, author, [...ids], type);
    }
    const responses = await Promise.all(expected.map((ack) => ackInTime(clock, ack)));
    return ackOutcome(responses.find(({ error }) => error !== null)?.error ?? null);
  } finally {
    for (const ack of expected) ack.forget();
  }
}
