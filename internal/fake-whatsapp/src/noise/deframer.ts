import { NOISE_WA_HEADER } from '@whiskeysockets/baileys';

/** `ED`, a two-byte version, and the three-byte length of the token. */
const ROUTING_HEADER_LENGTH = 7;
const ROUTING_MARK = 'ED';
const LENGTH_PREFIX = 3;

/** Splits bytes into frames. Removes the routing prefix and the header in front of the first frame. */
export class Deframer {
  #buffered: Buffer = Buffer.alloc(0);
  #introduced = false;
  #routing: Buffer | undefined;

  get routing(): Buffer | undefined {
    return this.#routing;
  }

  push(chunk: Uint8Array): readonly Buffer[] {
    this.#buffered = Buffer.concat([this.#buffered, chunk]);
    if (!this.#introduced && !this.#takeIntroduction()) return [];

    const frames: Buffer[] = [];
    while (this.#buffered.length >= LENGTH_PREFIX) {
      const length = this.#buffered.readUIntBE(0, LENGTH_PREFIX);
      if (this.#buffered.length < LENGTH_PREFIX + length) break;
      this.#take(LENGTH_PREFIX);
      frames.push(this.#take(length));
    }
    return frames;
  }

  #takeIntroduction(): boolean {
    if (this.#buffered.length < ROUTING_HEADER_LENGTH) return false;
    if (this.#buffered.toString('latin1', 0, ROUTING_MARK.length) === ROUTING_MARK) {
      const length = this.#buffered.readUIntBE(4, LENGTH_PREFIX);
      if (this.#buffered.length < ROUTING_HEADER_LENGTH + length) return false;
      this.#take(ROUTING_HEADER_LENGTH);
      this.#routing = this.#take(length);
    }
    if (this.#buffered.length < NOISE_WA_HEADER.length) return false;
    const header = this.#take(NOISE_WA_HEADER.length);
    if (!header.equals(NOISE_WA_HEADER)) throw new Error(`not a WhatsApp client: ${header.toString('hex')}`);
    this.#introduced = true;
    return true;
  }

  #take(length: number): Buffer {
    const taken = this.#buffered.subarray(0, length);
    this.#buffered = this.#buffered.subarray(length);
    return taken;
  }
}

export function frame(data: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_PREFIX);
  length.writeUIntBE(data.length, 0, LENGTH_PREFIX);
  return Buffer.concat([length, data]);
}
