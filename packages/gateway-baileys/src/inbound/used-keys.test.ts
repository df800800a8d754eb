import type { SignalKeyStore } from '@whiskeysockets/baileys';
import { MISSING_KEYS_ERROR_TEXT } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { isKeyUsed } from './used-keys.ts';

const ADDRESS = '105511988887777_1.0';
const RATCHET: Buffer = Buffer.alloc(33, 5);
const NO_SESSION_FITS = new Error('No matching sessions found for message');

/** A session with keys up to number 5, of which number 3 is not used yet. */
const chain = { chainKey: { counter: 5 }, messageKeys: { 3: 'key' } };
const record = { _sessions: { base: { _chains: { [RATCHET.toString('base64')]: chain } } } };
const get = async () => ({ [ADDRESS]: record });
const keys = { get } as unknown as Pick<SignalKeyStore, 'get'>; // the rest of a record is not read

/** A version, a `WhisperMessage` and a MAC. */
function ciphertext(counter: number, ratchet = RATCHET): Buffer {
  const fields = [0x0a, ratchet.length, ...ratchet, 0x10, counter, 0x22, 2, 1, 1];
  return Buffer.from([0x33, ...fields, ...Buffer.alloc(8)]);
}

const isUsed = (sent: Buffer, error: unknown = NO_SESSION_FITS, address: string | null = ADDRESS) =>
  isKeyUsed(keys, { error, ciphertext: sent, address });

it('the key of a message was used if the session has gone past it and does not have it', async () => {
  const numbers = [2, 3, 5, 6];
  expect(await Promise.all(numbers.map((counter) => isUsed(ciphertext(counter))))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(await isUsed(ciphertext(2, Buffer.alloc(33, 6)))).toBe(false);
});

it('the error alone tells it for the first message of a session and for a group', async () => {
  expect(await isUsed(ciphertext(6), new Error(MISSING_KEYS_ERROR_TEXT))).toBe(true);
  expect(await isUsed(ciphertext(6), new Error('Received message with old counter: 5, 2'), null)).toBe(true);
});

it('any other failure does not tell it', async () => {
  expect(await isUsed(ciphertext(2), new Error('Bad MAC'))).toBe(false);
  expect(await isUsed(ciphertext(2), NO_SESSION_FITS, null)).toBe(false);
  expect(await isUsed(Buffer.from([0x33, 0xff]))).toBe(false);
});
