import { ClientError, clientFailure } from './call-result.ts';

/** A block of a stream of server-sent events (HTML Living Standard, section 9.2). */
export interface ServerSentEvent {
  /** Null if the block has no id. */
  readonly id: string | null;
  readonly type: string;
  /** Null if the block has no data, and so is not an event. */
  readonly data: string | null;
}

/**
 * The maximum number of characters in a block, more than any event has, because a stream without blank lines must not
 * fill the memory.
 */
const BLOCK_MAX = 4_194_304;

/**
 * The blocks of a stream, which is cancelled when the caller stops iterating. An incomplete last block is dropped.
 * Throws a ClientError if a block is too long.
 */
export async function* readServerSentEvents(
  content: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = content.getReader();
  const decoder = new TextDecoder();
  // The parts of the current line. They are joined when the line ends, because joining at each chunk would take
  // quadratic time.
  let line: string[] = [];
  let block: string[] = [];
  let size = 0;
  let isAfterCr = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      if (text === '') continue;
      // The CR at the end of the previous chunk has already ended its line, so this LF completes a CRLF.
      const unread = isAfterCr && text.startsWith('\n') ? text.slice(1) : text;
      isAfterCr = text.endsWith('\r');
      const [first = '', ...others] = unread.split(/\r\n|\n|\r/);
      line.push(first);
      size += first.length;
      for (const next of others) {
        const whole = line.join('');
        line = [next];
        size += next.length + 1;
        if (whole !== '') {
          block.push(whole);
          continue;
        }
        const event = eventOf(block);
        block = [];
        size = next.length;
        if (event) yield event;
      }
      if (size > BLOCK_MAX) throw unexpectedStream('a block is longer than 4 MiB');
    }
  } finally {
    await reader.cancel().catch(() => undefined); // rejects if the stream has failed
  }
}

export function unexpectedStream(why: string): ClientError {
  const message = `The stream of events is not from the API (${why}): check baseUrl, and the proxies in between.`;
  return new ClientError(clientFailure('UNEXPECTED_RESPONSE', message).error);
}

/** Null if the block has neither an id nor data. */
function eventOf(block: readonly string[]): ServerSentEvent | null {
  let id: string | null = null;
  let type = 'message';
  const data: string[] = [];
  for (const line of block) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id' && !value.includes('\0')) id = value;
    if (name === 'event') type = value;
    if (name === 'data') data.push(value);
  }
  if (id === null && data.length === 0) return null;
  return { id, type, data: data.length > 0 ? data.join('\n') : null };
}
