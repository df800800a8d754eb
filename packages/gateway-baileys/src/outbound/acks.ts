import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The network's response to a stanza; `error` is null if the stanza was accepted. */
interface Ack {
  readonly error: string | null;
}

/** Longer than the network takes to respond to a message. */
const ACK_MS = 20_000;

export interface Acks {
  /**
   * Waits for the response to a stanza of this message, which is sent next. Copies have the id of their message, and
   * responses come in the order of the stanzas. A response that comes late from `refusedAt`, an address that was tried
   * before under the same id, is ignored.
   */
  expect(networkId: string, refusedAt?: string): ExpectedAck;
  /** The same for a receipt, which has the id of a message and a type. */
  expectReceipt(networkId: string, type: string): ExpectedAck;
}

export interface ExpectedAck {
  readonly arrived: Promise<Ack>;
  /** Ends the wait. */
  forget(): void;
}

interface Wait {
  /** Whether a response with the right id belongs to another stanza. */
  isForAnother(attrs: BinaryNode['attrs']): boolean;
  resolve(ack: Ack): void;
}

export function watchAcks(socket: WASocket): Acks {
  const waits = new Map<string, readonly Wait[]>();
  const remove = (id: string, wait: Wait): void => {
    const others = (waits.get(id) ?? []).filter((other) => other !== wait);
    if (others.length > 0) waits.set(id, others);
    else waits.delete(id);
  };
  const arrived = (key: string, attrs: BinaryNode['attrs']): void => {
    const [wait] = waits.get(key) ?? [];
    if (!wait || wait.isForAnother(attrs)) return;
    remove(key, wait);
    wait.resolve({ error: attrs['error'] ?? null });
  };
  const expect = (key: string, isForAnother: Wait['isForAnother']): ExpectedAck => {
    const { promise, resolve } = Promise.withResolvers<Ack>();
    const wait: Wait = { isForAnother, resolve };
    waits.set(key, [...(waits.get(key) ?? []), wait]);
    return { arrived: promise, forget: () => remove(key, wait) };
  };
  socket.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => arrived(attrs['id'] ?? '', attrs));
  socket.ws.on('CB:ack,class:receipt', ({ attrs }: BinaryNode) =>
    arrived(receiptKey(attrs['id'] ?? ''), attrs),
  );
  return {
    expect: (networkId, refusedAt) =>
      expect(networkId, ({ from }) => refusedAt !== undefined && from === refusedAt),
    // WhatsApp may leave the type out.
    expectReceipt: (networkId, expected) =>
      expect(receiptKey(networkId), ({ type = expected }) => type !== expected),
  };
}

/** No id of a message has a space. */
function receiptKey(networkId: string): string {
  return `receipt ${networkId}`;
}

/** Rejects if the network does not respond in time. */
export function ackInTime(clock: Clock, { arrived }: ExpectedAck): Promise<Ack> {
  return withDeadline(clock, { what: "WhatsApp's acknowledgement", ms: ACK_MS }, arrived);
}
