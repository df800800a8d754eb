import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, startHarness } from './support/harness.ts';

it('a token is spent once, immediately in one process and within five seconds in others', async () => {
  const harness = await startHarness();
  const { trunkline, clock } = harness;
  const { trunkline: other } = await harness.another();
  const until = clock.now() + DAY;
  expect(await other.admin.spentTokens.isSpent('link')).toBe(false);
  expect(await trunkline.admin.spentTokens.isSpent('link')).toBe(false);
  const spent = [trunkline, other, trunkline].map(({ admin }) => admin.spentTokens.spend('link', until));
  expect((await Promise.all(spent)).filter(Boolean)).toHaveLength(1);

  await trunkline.admin.spentTokens.spend('session', until);
  expect(await trunkline.admin.spentTokens.isSpent('session')).toBe(true);
  expect(await other.admin.spentTokens.isSpent('session', { fresh: true })).toBe(true);
  await other.admin.spentTokens.isSpent('late');
  await trunkline.admin.spentTokens.spend('late', until);
  clock.jump(5_000);
  expect(await other.admin.spentTokens.isSpent('late')).toBe(true);
});

it('a spent token is forgotten an hour after it would have expired', async () => {
  const { trunkline, storage, clock } = await startHarness();
  const { spentTokens } = trunkline.admin;
  await spentTokens.spend('short', clock.now() + MINUTE);
  await spentTokens.spend('long', clock.now() + DAY);
  clock.jump(HOUR + MINUTE);
  await clock.advance(MINUTE);
  expect(await storage.spentTokens.isSpent('short')).toBe(false);
  expect(await storage.spentTokens.isSpent('long')).toBe(true);
});

it.each([
  ['no id', '', 1],
  ['an id that is too long', 'x'.repeat(101), 1],
  ['a time that is none', 'link', Number.NaN],
])('%s is refused', async (_, id, until) => {
  const { trunkline } = await startHarness();
  await expect(trunkline.admin.spentTokens.spend(id, until)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
});
