import { StringDecoder } from 'node:string_decoder';

/** What is kept of a response's body for the log. */
const MAX_BYTES = 16 * 1024;

/** Collects the beginning of a body and makes text of it that every database can store. */
export class ResponseText {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** False when the body is longer than what is kept: the rest need not be read. */
  add(chunk: Buffer): boolean {
    // A copy: the chunk is a part of the socket's buffer, which is much larger than what is kept of it.
    this.#chunks.push(Buffer.from(chunk.subarray(0, MAX_BYTES - this.#size)));
    this.#size += chunk.length;
    return this.#size <= MAX_BYTES;
  }

  /** At most 16 KiB of UTF-8; U+FFFD stands for NUL and for what is not UTF-8. */
  toString(): string {
    if (this.#size === 0) return '';
    const bytes = Buffer.concat(this.#chunks);
    // The decoder keeps back a character that the limit has cut in two.
    const decoded = this.#size > MAX_BYTES ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
    const text = decoded.replaceAll('\0', '\uFFFD');
    // U+FFFD takes three bytes where it stands for one.
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
    return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES)).read);
  }
}
