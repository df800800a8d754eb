import { BufferJSON } from '@whiskeysockets/baileys';

/** Encodes a stored value as JSON in which bytes are marked, as Baileys does. */
export function encodeValue(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value, BufferJSON.replacer));
}

/** Decodes a value. The values under one name always have the same type. */
export function decodeValue<Value>(bytes: Uint8Array): Value {
  return JSON.parse(new TextDecoder().decode(bytes), BufferJSON.reviver) as Value; // written by encodeValue
}
