import { axe } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect } from 'vitest';

/** Only in the long form. In the short form, `every-page.test.ts` checks each page once. */
export async function expectAccessible(page: Page): Promise<void> {
  if (isLongForm) expect(await axe(page)).toEqual([]);
}
