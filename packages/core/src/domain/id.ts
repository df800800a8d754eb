import { v7 } from 'uuid';
import { base32ToUuid, decodeBase32, encodeBase32, uuidToBase32 } from './base32.ts';

/**
 * The kind of an id. `req` (requests), `mem` (members), `opr` (operations), `ntc` (owed emails), `sub` (subscriptions),
 * `upl` (uploads), `con` (contacts) and `hst` (entries of an instance's history) are ours, in addition to the
 * specification's eight, and so are `act` (actions on messages) and `vot` (votes in polls).
 */
export type IdPrefix =
  | 'key'
  | 'ten'
  | 'ins'
  | 'grp'
  | 'msg'
  | 'wh'
  | 'whd'
  | 'evt'
  | 'req'
  | 'mem'
  | 'opr'
  | 'ntc'
  | 'sub'
  | 'upl'
  | 'con'
  | 'hst'
  | 'act'
  | 'vot';

/** Makes ids that sort by time: TypeIDs (`msg_` + 26 characters of base32) over a UUIDv7 (RFC 9562). */
export type NewId = (prefix: IdPrefix, now: number) => string;

/**
 * Creates a factory whose ids never repeat and never sort before an earlier id, even when the clock steps back or
 * thousands are made in one millisecond.
 */
export function createNewId(randomBytes: (length: number) => Uint8Array): NewId {
  const uuid = new Uint8Array(16);
  const view = new DataView(uuid.buffer);
  let lastMs = 0;
  let sequence = 0;
  return (prefix, now) => {
    const random = randomBytes(16);
    if (now > lastMs) {
      lastMs = now;
      // 31 random bits, so that two processes rarely start at the same number, and 2^31 more ids fit into this
      // millisecond.
      sequence = new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1;
    } else {
      sequence += 1;
    }
    v7({ msecs: lastMs, seq: sequence, random }, uuid);
    return `${prefix}_${encodeBase32(view)}`;
  };
}

const SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const WHOLE_SUFFIX = new RegExp(`^${SUFFIX}$`);

/** The form of an id of this kind: its prefix and 26 characters of base32. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_${SUFFIX}$`);
}

/** Whether `text` has the form of an id of this kind. No id of another form exists. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    WHOLE_SUFFIX.test(text.slice(prefix.length + 1))
  );
}

/** The smallest id of this kind that can have been made at `time` or later, to bound a time range over ids. */
export function floorId(prefix: IdPrefix, time: number): string {
  const uuid = new DataView(new ArrayBuffer(16));
  uuid.setBigUint64(0, BigInt(Math.max(0, Math.floor(time))) << 16n);
  return `${prefix}_${encodeBase32(uuid)}`;
}

/** The smallest id that sorts after this one. */
export function nextId(prefix: IdPrefix, id: string): string {
  const uuid = new DataView(new ArrayBuffer(16));
  decodeBase32(id, prefix.length + 1, uuid);
  const low = uuid.getBigUint64(8) + 1n;
  uuid.setBigUint64(8, low);
  if (BigInt.asUintN(64, low) === 0n) uuid.setBigUint64(0, uuid.getBigUint64(0) + 1n);
  return `${prefix}_${encodeBase32(uuid)}`;
}

/**
 * The UUID in an id of this kind, as a database keeps it; null if `text` does not have the form of such an id. The UUID
 * may be any 128 bits, because an id from a caller need not contain a UUID of a known version.
 */
export function idToUuid(prefix: IdPrefix, text: string): string | null {
  return isId(prefix, text) ? base32ToUuid(text, prefix.length + 1) : null;
}

/** The id of this kind that encodes a UUID. */
export function uuidToId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuidToBase32(uuid)}`;
}

/** The id of this kind that encodes the same UUID as an id of another kind. */
export function withPrefix(prefix: IdPrefix, id: string): string {
  return prefix + id.slice(id.indexOf('_'));
}

/** The sort key of an id that `NewId` made, without the last 42 bits, which are random. */
export interface IdOrder {
  /** Epoch milliseconds. */
  readonly ms: number;
  /** The number of the id within its millisecond, below 2^32. Two factories may use the same number. */
  readonly sequence: number;
}

/** A range of ids, from the smallest to the largest, both included. */
export interface IdRange {
  readonly first: string;
  readonly last: string;
}

/** The order of an id that `NewId` has made. */
export function orderOfId(prefix: IdPrefix, id: string): IdOrder {
  const uuid = new DataView(new ArrayBuffer(16));
  decodeBase32(id, prefix.length + 1, uuid);
  const sequence =
    ((uuid.getUint8(6) & 0x0f) << 28) |
    (uuid.getUint8(7) << 20) |
    ((uuid.getUint8(8) & 0x3f) << 14) |
    (uuid.getUint8(9) << 6) |
    (uuid.getUint8(10) >>> 2);
  return { ms: uuid.getUint16(0) * 2 ** 32 + uuid.getUint32(2), sequence: sequence >>> 0 };
}

/** The range of all ids of a kind that can have this order, whichever factory made them. */
export function idsOfOrder(prefix: IdPrefix, { ms, sequence }: IdOrder): IdRange {
  const idWith = (byte: number): string => {
    const uuid = new Uint8Array(16);
    v7({ msecs: ms, seq: sequence, random: new Uint8Array(16).fill(byte) }, uuid);
    return `${prefix}_${encodeBase32(new DataView(uuid.buffer))}`;
  };
  return { first: idWith(0), last: idWith(0xff) };
}

/**
 * An id of this kind with the order of another id of any kind, so that it is in the range that `idsOfOrder` returns.
 * Its place in the range comes from `own`, a new id. Of two ids that one factory made with the same order in one
 * millisecond, the later sorts later.
 */
export function withOrder(prefix: IdPrefix, own: string, { ms, sequence }: IdOrder): string {
  const uuid = new Uint8Array(16);
  const view = new DataView(uuid.buffer);
  decodeBase32(own, prefix.length + 1, view);
  const place = orderOfId(prefix, own).sequence;
  // The place takes 32 of the 42 bits after the order. The last 10 bits stay random.
  view.setUint8(10, place >>> 30);
  view.setUint32(11, (place << 2) | (view.getUint8(14) & 3));
  v7({ msecs: ms, seq: sequence, random: uuid.slice() }, uuid);
  return `${prefix}_${encodeBase32(view)}`;
}
