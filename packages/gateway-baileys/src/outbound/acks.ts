import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The network's response to a message; `error` is null if the message was accepted. */
interface Ack {
  readonly error: string | null;
}

export interface Acks {
  /** Resolves with the response to this message. Must be called before the message is sent. */
  expect(networkId: string): Promise<Ack>;
  forget(networkId: string): void;
}

export function watchAcks(socket: WASocket): Acks {
  const expected = new Map<string, (ack: Ack) => void>();
  socket.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
    const id = attrs['id'] ?? '';
    expected.get(id)?.({ error: attrs['error'] ?? null });
    expected.delete(id);
  });
  return {
    expect: (networkId) => new Promise((resolve) => expected.set(networkId, resolve)),
    forget: (networkId) => void expected.delete(networkId),
  };
}
