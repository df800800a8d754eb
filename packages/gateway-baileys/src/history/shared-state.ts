import { createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { fieldStream } from './protobuf-fields.ts';
import type { FieldStream, MessageReader } from './protobuf-fields.ts';

/** The keys of the state that an account's devices share: whatsmeow's `appstate/keys.go`. */
export interface StateKey {
  readonly id: Uint8Array;
  /** Marks the records about the salt. */
  readonly indexMac: string;
  readonly valueKey: Buffer;
  readonly macKey: Buffer;
}

const SALT_INDEX = JSON.stringify(['nct_salt_sync']);
const KEY_BYTES = 32;

export function stateKey(id: Uint8Array, keyData: Uint8Array): StateKey {
  const expanded = Buffer.from(hkdfSync('sha256', keyData, '', 'WhatsApp Mutation Keys', 5 * KEY_BYTES));
  const part = (index: number): Buffer => expanded.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES);
  const indexMac = createHmac('sha256', part(0)).update(SALT_INDEX).digest('base64');
  return { id, indexMac, valueKey: part(1), macKey: part(2) };
}

/** A change of the account's salt; null if it was removed. */
export interface SaltChange {
  readonly salt: Uint8Array | null;
}

/** Finds the latest change of the salt in encrypted records, and skips all others. */
export interface SaltSearch {
  readonly version: () => number;
  readonly found: () => SaltChange | null;
  /** Reads a `SyncdSnapshot`, `SyncdPatch` or `SyncdMutations`. */
  readonly snapshot: () => FieldStream;
  readonly patch: () => FieldStream;
  readonly mutations: () => FieldStream;
}

const SET = 0;
const REMOVE = 1;

export function saltSearch(keys: readonly StateKey[], since: number): SaltSearch {
  let version = since;
  let found: SaltChange | null = null;

  const take = (operation: number, { index, value }: SyncRecord): void => {
    const mac = Buffer.from(index).toString('base64');
    const key = keys.find(({ indexMac }) => indexMac === mac);
    if (!key || !isAuthentic(key, operation, value)) return;
    if (operation === REMOVE) found = { salt: null };
    else found = saltIn(key, value) ?? found;
  };
  const mutation = (): MessageReader => {
    let operation = SET;
    let record: SyncRecord | null = null;
    return {
      fields: { 1: (value) => (operation = Number(value)) },
      messages: { 2: () => recordReader((read) => (record = read)) },
      end: () => record && take(operation, record),
    };
  };
  const readVersion = (): MessageReader => ({ fields: { 1: (value) => (version = Number(value)) } });

  return {
    version: () => version,
    found: () => found,
    snapshot: () =>
      fieldStream({
        fields: {},
        messages: { 1: readVersion, 2: () => recordReader((record) => take(SET, record)) },
      }),
    patch: () => fieldStream({ fields: {}, messages: { 1: readVersion, 2: mutation } }),
    mutations: () => fieldStream({ fields: {}, messages: { 1: mutation } }),
  };
}

interface SyncRecord {
  readonly index: Uint8Array;
  readonly value: Uint8Array;
}

function recordReader(done: (record: SyncRecord) => void): MessageReader {
  let index: Uint8Array | null = null;
  let value: Uint8Array | null = null;
  const blob = (take: (bytes: Uint8Array) => void) => (): MessageReader => ({
    fields: { 1: (bytes) => typeof bytes !== 'number' && take(bytes) },
  });
  return {
    fields: {},
    messages: { 1: blob((bytes) => (index = bytes)), 2: blob((bytes) => (value = bytes)) },
    end: () => index && value && done({ index, value }),
  };
}

const IV_LENGTH = 16;
const MAC_LENGTH = 32;

/** Whether the MAC fits, as in `generateContentMAC` of whatsmeow's `appstate/hash.go`. */
function isAuthentic({ id, macKey }: StateKey, operation: number, value: Uint8Array): boolean {
  if (value.length < IV_LENGTH + MAC_LENGTH) return false;
  const additional = Buffer.concat([Buffer.from([operation + 1]), id]);
  const length = Buffer.alloc(8);
  length[7] = additional.length;
  const mac = createHmac('sha512', macKey)
    .update(additional)
    .update(value.subarray(0, -MAC_LENGTH))
    .update(length)
    .digest()
    .subarray(0, MAC_LENGTH);
  return timingSafeEqual(mac, value.subarray(-MAC_LENGTH));
}

/** Decrypts a `SyncActionData`. Null if it has no salt. Baileys' definition lacks `nctSaltSyncAction`, field 80. */
function saltIn({ valueKey }: StateKey, value: Uint8Array): SaltChange | null {
  const decipher = createDecipheriv('aes-256-cbc', valueKey, value.subarray(0, IV_LENGTH));
  const opened = [decipher.update(value.subarray(IV_LENGTH, -MAC_LENGTH)), decipher.final()];
  let salt: Uint8Array | null = null;
  const action = (): MessageReader => ({
    fields: { 1: (bytes) => typeof bytes !== 'number' && bytes.length > 0 && (salt = bytes) },
  });
  const stream = fieldStream({
    fields: {},
    messages: { 2: () => ({ fields: {}, messages: { 80: action } }) },
  });
  stream.push(Buffer.concat(opened));
  stream.end();
  return salt && { salt };
}
