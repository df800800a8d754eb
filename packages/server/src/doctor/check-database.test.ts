import { expect, it } from 'vitest';
import { refuseEarlier } from './check-database.ts';

it('leaves a database of an earlier version as it is, and says that the next start upgrades it', () => {
  expect(() => refuseEarlier('data/trunkline.db', { version: 100, latest: 101 })).toThrow(
    expect.objectContaining({
      message: 'data/trunkline.db has schema 100, of an earlier version of Trunkline.',
      remedy: expect.stringContaining('upgrades it to schema 101'),
      result: 'warning',
    }),
  );
  expect(() => refuseEarlier('data/trunkline.db', { version: 101, latest: 101 })).not.toThrow();
});
