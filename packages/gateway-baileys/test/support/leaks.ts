import { BufferJSON } from '@whiskeysockets/baileys';

export interface Secret {
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** How many bytes of a key already count as a leak. In base64, they end at a character boundary. */
const PART = 15;
/** Half of a key's 32 bytes. */
const SHORTEST_KEY = 16;

export function secretText(what: string, value: string): Secret {
  return { what, bytes: Buffer.from(value) };
}

/** The names of the secrets visible in printed text, in any common way of printing bytes. */
export function leaksIn(printed: string, secrets: readonly Secret[]): readonly string[] {
  const dense = printed.replaceAll(/\s/g, '');
  return secrets
    .filter(({ bytes }) => spellings(bytes).some((spelling) => dense.includes(spelling)))
    .map(({ what }) => what);
}

function spellings(bytes: Uint8Array): readonly string[] {
  const part = Buffer.from(bytes.subarray(0, PART));
  const hex = part.toString('hex');
  const numbered = [...part].map((byte, index) => `"${index}":${byte}`).join(',');
  return [
    Buffer.from(bytes).toString('utf8').replaceAll(/\s/g, ''),
    part.toString('base64').replaceAll('=', ''),
    part.toString('base64url'),
    hex,
    hex.toUpperCase(),
    [...part].join(','),
    numbered,
    numbered.replaceAll('"', "'"),
    numbered.replaceAll('"', ''),
  ];
}

/** Every stored value that could be a key: bytes, and text that encodes bytes. */
export function keysIn(stored: ReadonlyMap<string, Uint8Array>): readonly Secret[] {
  return [...stored].flatMap(([name, value]) =>
    leavesOf(JSON.parse(Buffer.from(value).toString(), BufferJSON.reviver), name).filter(
      ({ bytes }) => bytes.length >= SHORTEST_KEY,
    ),
  );
}

function leavesOf(value: unknown, what: string): readonly Secret[] {
  if (value instanceof Uint8Array) return [{ what, bytes: value }];
  if (typeof value === 'string')
    return isBase64Key(value) ? [{ what, bytes: Buffer.from(value, 'base64') }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, leaf]) => leavesOf(leaf, `${what}.${name}`));
}

function isBase64Key(value: string): boolean {
  return /^[\w+/-]{40,}={0,2}$/.test(value);
}
