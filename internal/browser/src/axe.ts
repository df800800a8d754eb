import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

let source: Promise<string> | undefined;

interface AxeOptions {
  /**
   * `colour`: only rules about colours, for a page that was checked by all rules in another colour scheme. Default
   * `everything`.
   */
  readonly about?: 'everything' | 'colour';
}

/** All of axe's rules about colours, except those of the strictest level, which axe does not run by default. */
const OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/**
 * Returns the accessibility problems that axe finds, one entry per element; empty if axe finds none.
 */
export async function axe(page: Page, { about = 'everything' }: AxeOptions = {}): Promise<readonly string[]> {
  source ??= readFile(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
  // `evaluate` adds axe through the debugger, to which the page's content security policy does not apply.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await source);
  // Leaves out the details of passed rules, which are most of the results.
  const options: RunOptions = {
    resultTypes: ['violations'],
    ...(about === 'colour' && { runOnly: [...OF_COLOUR] }),
  };
  const violations = await page.evaluate<readonly Result[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${target.join(' ')}\n${failureSummary}`),
  );
}
