import { describe, expect } from 'vitest';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { testDatabases } from './test-database.ts';

export function settingContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a setting', () => {
    it('keeps the first value that it got', async () => {
      const storage = await open();
      expect(await storage.setting('key check', 'first')).toBe('first');
      expect(await storage.setting('key check', 'second')).toBe('first');
      expect(await storage.setting('other', '')).toBe('');
      expect(await storage.setting('other', 'late')).toBe('');
    });

    it('can be replaced, whether it was set or not', async () => {
      const storage = await open();
      await storage.setting('lead', 'first');
      await storage.replaceSetting('lead', 'second');
      await storage.replaceSetting('other', 'new');
      expect(await storage.setting('lead', 'third')).toBe('second');
      expect(await storage.setting('other', '')).toBe('new');
    });

    it('is one value for all who set it concurrently', async () => {
      const storage = await open();
      const values = await Promise.all(
        ['a', 'b', 'c', 'd'].map((value) => storage.setting('key check', value)),
      );
      expect(new Set(values).size).toBe(1);
    });
  });
}
