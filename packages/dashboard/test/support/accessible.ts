import { axe } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect } from 'vitest';

/**
 * Checks a state of a page with axe in the long form. In the short form, only `every-page.test.ts` does so, for each
 * page.
 */
export async function expectAccessible(page: Page): Promise<void> {
  if (isLongForm) expect(await axe(page)).toEqual([]);
}
