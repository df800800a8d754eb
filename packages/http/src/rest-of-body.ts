/** In bytes: more than the largest form that is accepted. */
const REST_MAX = 128 * 1_048_576;

/**
 * Reads and drops the rest of a refused body while the response is sent, because many clients send the whole body
 * before they read a response, and the connection's next request comes after the body. The body is not cancelled,
 * because servers would then close the connection. If a client sends much more than `REST_MAX`, the server closes the
 * connection.
 */
export async function dropRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let left = REST_MAX;
  while (left > 0) {
    const { done, value } = await reader.read().catch(() => ENDED); // the client is gone
    if (done) return;
    left -= value.byteLength;
  }
}

const ENDED = { done: true, value: undefined } as const;
