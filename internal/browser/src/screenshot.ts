import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const DIRECTORY = fileURLToPath(new URL('../../../reports/screenshots', import.meta.url));

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const;

/**
 * Pictures of the whole page in light, dark and on a phone, as `reports/screenshots/<name>-<look>.png`, for people to
 * look at. Returns their paths.
 */
export async function screenshot(page: Page, name: string): Promise<readonly string[]> {
  const before = page.viewportSize();
  const paths: string[] = [];
  for (const [look, { colorScheme, viewport }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    const path = join(DIRECTORY, `${name}-${look}.png`);
    await page.screenshot({ path, fullPage: true, animations: 'disabled' });
    paths.push(path);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  return paths;
}
