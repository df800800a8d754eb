/** A block of a stream of server-sent events (HTML Living Standard, section 9.2). */
export interface ServerSentEvent {
  /** Null if the block has none. */
  readonly id: string | null;
  readonly type: string;
  /** Null for a block without data, which is no event. */
  readonly data: string | null;
}

/** Longer than any event: a stream without line breaks must not fill the memory. */
const LINE_MAX = 4_194_304;

/** The blocks of a stream, which it cancels when its reader stops. What is cut off at the end is dropped. */
export async function* readServerSentEvents(
  content: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = content.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let block: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      // A CR at the end may be half of a CRLF.
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > LINE_MAX) throw new Error('A line of the stream of events is too long.');
      for (const line of lines) {
        if (line !== '') block.push(line);
        else {
          const event = eventOf(block);
          block = [];
          if (event) yield event;
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it has ended by itself
  }
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
