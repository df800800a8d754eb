import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** Calls `intercept` with each stanza of this tag before Baileys. If it returns true, Baileys never gets the stanza. */
export function interceptStanzas(
  { ws }: Pick<WASocket, 'ws'>,
  tag: 'call' | 'message' | 'notification' | 'receipt',
  intercept: (stanza: BinaryNode) => boolean,
): void {
  const emit = ws.emit.bind(ws);
  ws.emit = (event, ...args: readonly [BinaryNode]) =>
    event === `CB:${tag}` && intercept(args[0]) ? true : emit(event, ...args);
}
