import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';

const REJECTED = Symbol.for('nodejs.rejection');

/**
 * Makes a socket whose handlers may fail. Baileys does not catch their errors, so an unexpected stanza would end the
 * whole process. Here the stanza is skipped, and `skipped` gets its tag. Bytes that cannot be read as a stanza end the
 * connection.
 */
export function guardHandlers(
  make: () => WASocket,
  skipped: (tag: string, error: unknown) => void,
): WASocket {
  const socket = withCapturedRejections(make);
  const { ws } = socket;
  const skip = (error: unknown, event: unknown): void => {
    // The tag is followed by details of the stanza.
    const [tag = ''] = String(event).replace('CB:', '').split(',');
    skipped(tag, error);
  };
  const emit = ws.emit.bind(ws);
  ws.emit = (event, ...args) => {
    try {
      return emit(event, ...args);
    } catch (error) {
      skip(error, event);
      return true;
    }
  };
  Object.assign(ws, {
    [REJECTED](error: unknown, event: unknown) {
      skip(error, event);
      // The boundary of the next frame is unknown, so the connection must end.
      if (event === 'message')
        ws.emit('error', error instanceof Error ? error : new Error('WhatsApp sent what cannot be read'));
    },
  });
  return socket;
}

/** Turns on Node's global option to capture the rejections of handlers, for emitters created during `make`. */
function withCapturedRejections<Made>(make: () => Made): Made {
  const before = EventEmitter.captureRejections;
  EventEmitter.captureRejections = true;
  try {
    return make();
  } finally {
    EventEmitter.captureRejections = before;
  }
}
