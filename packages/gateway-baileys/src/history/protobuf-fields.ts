/** A value of a field: a number if it is a varint, otherwise its bytes. */
type FieldValue = number | Uint8Array;

/** How a message is read, by the numbers of its fields. All other fields are skipped, however long they are. */
export interface MessageReader {
  readonly fields: Readonly<Record<number, (value: FieldValue) => void>>;
  /** The readers of messages in fields. A reader is made for each message. */
  readonly messages?: Readonly<Record<number, () => MessageReader>>;
  /** Called at the end of a message in a field. */
  readonly end?: () => void;
}

/** Reads an encoded message as its bytes arrive. */
export interface FieldStream {
  /** Throws if the bytes are not a message. */
  push(chunk: Uint8Array): void;
  /** Throws if the message is incomplete. */
  end(): void;
}

/** A longer value is skipped, so that little of a message is in memory at a time. */
const LONGEST_VALUE = 4_096;

/** The wire types of protobuf: https://protobuf.dev/programming-guides/encoding/ */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

export function fieldStream(root: MessageReader): FieldStream {
  /** The messages that contain the current position, the innermost last. */
  const open: { readonly reader: MessageReader; readonly end: number }[] = [{ reader: root, end: Infinity }];
  /** The beginning of a field whose rest has not arrived. */
  let begun: Uint8Array = new Uint8Array();
  /** The position of the first byte of `begun`. */
  let position = 0;
  let toSkip = 0;

  const innermost = () => open.at(-1) ?? { reader: root, end: Infinity };

  const closeMessages = (): void => {
    while (toSkip === 0 && position >= innermost().end) {
      innermost().reader.end?.();
      open.pop();
    }
  };

  /** Returns how many bytes of `bytes` were read; 0 if the field is incomplete. */
  const readField = (bytes: Uint8Array): number => {
    const tag = readVarint(bytes, 0);
    if (!tag) return 0;
    const { reader, end } = innermost();
    const number = Math.floor(tag.value / 8);
    const type = tag.value % 8;
    const within = (length: number): void => {
      if (position + length > end) throw new Error('A field ends after its message.');
    };
    if (type === VARINT) {
      const varint = readVarint(bytes, tag.next);
      if (!varint) return 0;
      within(varint.next);
      reader.fields[number]?.(varint.value);
      return varint.next;
    }
    if (type === FIXED64 || type === FIXED32) {
      toSkip = type === FIXED64 ? 8 : 4;
      within(tag.next + toSkip);
      return tag.next;
    }
    if (type !== LENGTH) throw new Error(`A field has the unknown wire type ${type}.`);
    const length = readVarint(bytes, tag.next);
    if (!length) return 0;
    const { value: size, next } = length;
    within(next + size);
    const nested = reader.messages?.[number];
    const take = reader.fields[number];
    if (nested) {
      open.push({ reader: nested(), end: position + next + size });
      return next;
    }
    if (!take || size > LONGEST_VALUE) {
      toSkip = size;
      return next;
    }
    if (bytes.length < next + size) return 0;
    take(bytes.slice(next, next + size));
    return next + size;
  };

  return {
    push(chunk) {
      let bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
      const advance = (count: number): void => {
        position += count;
        bytes = bytes.subarray(count);
      };
      for (;;) {
        const skipped = Math.min(toSkip, bytes.length);
        toSkip -= skipped;
        advance(skipped);
        closeMessages();
        if (bytes.length === 0) break;
        const read = readField(bytes);
        if (read === 0) break;
        advance(read);
      }
      begun = bytes.slice();
    },
    end() {
      if (open.length > 1 || toSkip > 0 || begun.length > 0) throw new Error('The message is incomplete.');
    },
  };
}

const LONGEST_VARINT = 10;

/** Returns null if the varint is incomplete. Values above 2^53 are inexact, which no field that is read has. */
function readVarint(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly next: number } | null {
  let value = 0;
  let factor = 1;
  for (let at = start; at < bytes.length; at += 1) {
    if (at - start === LONGEST_VARINT) throw new Error('A number is too long.');
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, next: at + 1 };
    factor *= 0x80;
  }
  return null;
}
