import { createHmac } from 'node:crypto';
import { memorySession } from '@trunkline/gateway-contract';
import { expect, it } from 'vitest';
import { decodeValue, encodeValue } from './json-value.ts';
import {
  TOKENS,
  contactToken,
  findToken,
  readSalt,
  saveSalt,
  storeSalt,
  storeTokens,
} from './privacy-tokens.ts';
import type { PrivacyToken } from './privacy-tokens.ts';
import { readSession } from './session-values.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const TODAY: number = NOW / 1_000;
const ANN = '105511955550005@lid';
const NUMBER = '5511955550005@s.whatsapp.net';

const aToken = (changes: Partial<PrivacyToken> = {}): PrivacyToken => ({
  jid: ANN,
  token: Buffer.from('new'),
  givenAt: TODAY,
  ours: null,
  ...changes,
});

async function stored(before: Readonly<Record<string, unknown>> = {}) {
  const entries = Object.entries(before).map(([jid, value]) => [TOKENS + jid, encodeValue(value)] as const);
  const session = memorySession('ins_1', new Map(entries));
  const values = await readSession(session, () => {});
  return {
    values,
    names: () => [...session.values.keys()],
    of(jid: string) {
      const bytes = session.values.get(TOKENS + jid);
      return bytes ? decodeValue(bytes) : null;
    },
  };
}

it('a token of a history replaces an older one, and keeps when ours was given last', async () => {
  const { values, of } = await stored({
    [ANN]: { token: Buffer.from('old'), timestamp: String(TODAY - 1), senderTimestamp: TODAY - 2 },
  });
  await storeTokens(values, [aToken({ ours: TODAY - 9 })]);
  expect(of(ANN)).toEqual({
    token: Buffer.from('new'),
    timestamp: String(TODAY),
    senderTimestamp: TODAY - 2,
  });
});

it('a token of a history does not replace one that is as new', async () => {
  const known = { token: Buffer.from('known'), timestamp: String(TODAY) };
  const { values, of } = await stored({ [ANN]: known });
  await storeTokens(values, [aToken()]);
  expect(of(ANN)).toEqual(known);
});

it('a history fills a number up to 10,000 tokens, and still renews those that are stored', async () => {
  const before = Object.fromEntries(
    Array.from({ length: 9_999 }, (_, index) => [`${index}@lid`, { timestamp: '1' }]),
  );
  const { values, of, names } = await stored(before);
  await storeTokens(values, [aToken(), aToken({ jid: '1@s.whatsapp.net' }), aToken({ jid: '5@lid' })]);
  expect(names()).toHaveLength(10_000);
  expect(of('1@s.whatsapp.net')).toBeNull();
  expect(of('5@lid')).toMatchObject({ timestamp: String(TODAY) });
});

it('a token that came by number moves to the hidden id once that is known', async () => {
  const { values, of, names } = await stored({ [ANN]: { senderTimestamp: 5 } });
  await storeTokens(values, [aToken({ jid: NUMBER })]);
  expect(await findToken(values, { lid: ANN, number: NUMBER }, NOW)).toBe(true);
  expect(names()).toEqual([TOKENS + ANN]);
  expect(of(ANN)).toEqual({ token: Buffer.from('new'), timestamp: String(TODAY), senderTimestamp: 5 });
  expect(await findToken(values, { lid: ANN, number: null }, NOW)).toBe(true);
});

it('a token that came by number does not replace a newer one of the hidden id', async () => {
  const newer = { token: Buffer.from('newer'), timestamp: String(TODAY + 1) };
  const { values, of, names } = await stored({ [ANN]: newer });
  await storeTokens(values, [aToken({ jid: NUMBER })]);
  await findToken(values, { lid: ANN, number: NUMBER }, NOW);
  expect(of(ANN)).toEqual(newer);
  expect(names()).toEqual([TOKENS + ANN]);
});

it('a token counts in the week in which it was given and in the next three', async () => {
  const { values } = await stored();
  await storeTokens(values, [aToken()]);
  const isFound = (days: number): Promise<boolean> =>
    findToken(values, { lid: ANN, number: null }, NOW + days * 86_400_000);
  // Weeks begin on Thursdays, and this token was given on a Sunday.
  expect([await isFound(24), await isFound(25)]).toEqual([true, false]);
});

it('the token of the account itself is made of its first salt and the hidden id', async () => {
  const { values } = await stored();
  expect(await contactToken(values, ANN)).toBeNull();
  const salt = Buffer.alloc(32, 1);
  await storeSalt(values, salt);
  await storeSalt(values, Buffer.alloc(32, 2));
  const expected = createHmac('sha256', salt).update(ANN).digest();
  expect(await contactToken(values, ANN)).toEqual(expected);
  expect([await contactToken(values, null), await contactToken(values, NUMBER)]).toEqual([null, null]);
});

it('a salt that the phone has removed is not brought back by a history, only by the phone', async () => {
  const { values } = await stored();
  const [old, latest] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  await storeSalt(values, old);
  await saveSalt(values, { version: 7, change: null });
  expect(await readSalt(values)).toEqual({ salt: old, isRemoved: false, version: 7 });
  await saveSalt(values, { version: 8, change: { salt: null } });
  await storeSalt(values, old);
  expect(await readSalt(values)).toEqual({ salt: null, isRemoved: true, version: 8 });
  await saveSalt(values, { version: 9, change: { salt: latest } });
  expect(await readSalt(values)).toEqual({ salt: latest, isRemoved: false, version: 9 });
});
