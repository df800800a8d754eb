import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The order in which messages have arrived. */
export interface MessageOrder {
  /** Runs `work` after the messages that have arrived are handled, and before those that arrive later. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Calls `take` with each message in its turn. If it returns true, Baileys never gets the message. */
  intercept(take: (stanza: BinaryNode) => boolean): void;
}

/**
 * Makes Baileys handle one message after another, as whatsmeow's queue of stanzas (`client.go`) does. Baileys queues
 * only those that waited for the connection, so others would overtake these, and it does not tell when one is handled.
 * `skipped` gets the errors of its handlers.
 */
export function keepMessageOrder(
  { ws }: Pick<WASocket, 'ws'>,
  skipped: (error: unknown) => void,
): MessageOrder {
  let last: Promise<unknown> = Promise.resolve();
  const takers: ((stanza: BinaryNode) => boolean)[] = [];
  const run: MessageOrder['run'] = (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const handle = async ({
    attrs: { offline: _isQueued, ...attrs },
    ...stanza
  }: BinaryNode): Promise<void> => {
    // The network delivers the rest again on the next connection.
    if (!ws.isOpen) return;
    const listeners = ws.listeners('CB:message') as ((stanza: BinaryNode) => unknown)[]; // as they were added
    const live = { ...stanza, attrs };
    if (takers.some((take) => take(live))) return;
    await Promise.all(listeners.map((listener) => listener(live)));
  };
  const emit = ws.emit.bind(ws);
  ws.emit = (event, ...args: readonly [BinaryNode]) => {
    if (event !== 'CB:message') return emit(event, ...args);
    void run(() => handle(args[0])).catch(skipped);
    return true;
  };
  return { run, intercept: (take) => void takers.push(take) };
}
