import { setImmediate } from 'node:timers/promises';
import { INITIAL_PREKEY_COUNT, initAuthCreds } from '@whiskeysockets/baileys';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { memorySession } from '@trunkline/gateway-contract';
import type { MemorySession } from '@trunkline/gateway-contract';
import { manualClock } from '@trunkline/core/testing';
import { expect, it } from 'vitest';
import { readCredentials } from './credentials.ts';
import { makeFirstPreKeys } from './first-pre-keys.ts';
import { readSession } from './session-values.ts';

/** A clock that advances at each reading by more than an instance may take before it yields. */
function slowClock(): ReturnType<typeof manualClock> {
  const clock = manualClock();
  let elapsed = 0;
  return { ...clock, elapsed: () => (elapsed += 11) };
}

const pairedCreds = (): AuthenticationCreds => ({ ...initAuthCreds(), account: {} });

const preKeys = ({ values }: MemorySession): readonly string[] =>
  [...values.keys()].filter((name) => name.startsWith('key.pre-key.'));

const valuesOf = (session: MemorySession) =>
  readSession(session, () => {}, { names: ['creds'], prefixes: [] });

it('the first keys of a linked device are made while others have their turns', async () => {
  const session = memorySession('ins_1');
  const creds = pairedCreds();
  let isOver = false;
  const making = makeFirstPreKeys(await valuesOf(session), creds, slowClock()).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns += 1) await setImmediate();
  await making;
  expect(turns).toBeGreaterThan(INITIAL_PREKEY_COUNT / 2);
  expect(preKeys(session)).toHaveLength(INITIAL_PREKEY_COUNT);
  const stored = await readCredentials(await valuesOf(session));
  expect(stored).toMatchObject({ nextPreKeyId: INITIAL_PREKEY_COUNT + 1, firstUnuploadedPreKeyId: 1 });
});

it('the first keys of a linked device are made once, and none before a phone has accepted it', async () => {
  const session = memorySession('ins_1');
  await makeFirstPreKeys(await valuesOf(session), initAuthCreds(), manualClock());
  expect(session.values.size).toBe(0);
  const creds = pairedCreds();
  await makeFirstPreKeys(await valuesOf(session), creds, manualClock());
  const made = new Map(session.values);
  await makeFirstPreKeys(await valuesOf(session), creds, manualClock());
  expect(session.values).toEqual(made);
});
