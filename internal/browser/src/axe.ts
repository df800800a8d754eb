import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

let source: Promise<string> | undefined;

/** Whatever axe finds to be in the way of people with a disability, a line for each element: empty if there is nothing. */
export async function axe(page: Page): Promise<readonly string[]> {
  source ??= readFile(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
  // By the debugger, to which the policy of the page does not apply.
  await page.evaluate(await source);
  const results = await page.evaluate<AxeResults>('axe.run()');
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${target.join(' ')}\n${failureSummary}`),
  );
}
