import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The network's response to a message; `error` is null if the message was accepted. */
interface Ack {
  readonly error: string | null;
}

export interface Acks {
  /**
   * Resolves with the response to this message. Must be called before the message is sent. A response that comes late
   * from `refusedAt`, an address that was tried before under the same id, is ignored.
   */
  expect(networkId: string, refusedAt?: string): Promise<Ack>;
  forget(networkId: string): void;
}

export function watchAcks(socket: WASocket): Acks {
  const expected = new Map<string, { readonly refusedAt?: string; resolve(ack: Ack): void }>();
  socket.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
    const id = attrs['id'] ?? '';
    const waiting = expected.get(id);
    if (!waiting || (waiting.refusedAt !== undefined && attrs['from'] === waiting.refusedAt)) return;
    waiting.resolve({ error: attrs['error'] ?? null });
    expected.delete(id);
  });
  return {
    expect: (networkId, refusedAt) =>
      new Promise((resolve) =>
        expected.set(networkId, { resolve, ...(refusedAt !== undefined && { refusedAt }) }),
      ),
    forget: (networkId) => void expected.delete(networkId),
  };
}
