import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const DIRECTORY = fileURLToPath(new URL('../../../reports/screenshots', import.meta.url));

const WIDE = { width: 1280, height: 800 };

const LOOKS = {
  light: { colorScheme: 'light', viewport: WIDE },
  dark: { colorScheme: 'dark', viewport: WIDE },
  // The width of narrow phones.
  phone: { colorScheme: 'light', viewport: { width: 360, height: 780 } },
} as const;

/** A way to show a page. In `dark`, the page has the same layout as in `light`, but different colours. */
export type Look = keyof typeof LOOKS;

const ALL_LOOKS = ['light', 'dark', 'phone'] as const;

/** Calls `visit` with the page in each of `looks` in turn, and then resets its size and colour scheme. */
export async function inEachLook(
  page: Page,
  visit: (look: Look) => Promise<void>,
  looks: readonly Look[] = ALL_LOOKS,
): Promise<void> {
  const before = page.viewportSize();
  try {
    for (const look of looks) {
      const { colorScheme, viewport } = LOOKS[look];
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await visit(look);
    }
  } finally {
    await page.emulateMedia({ colorScheme: null });
    if (before) await page.setViewportSize(before);
  }
}

/**
 * With SCREENSHOTS=1, takes pictures of the whole page in each look, as `reports/screenshots/<name>-<look>.png`, for
 * people to look at. Returns their paths.
 */
export async function screenshot(page: Page, name: string): Promise<readonly string[]> {
  if (!areTaken()) return [];
  const paths: string[] = [];
  await inEachLook(page, async (look) => void paths.push(...(await picture(page, `${name}-${look}`))));
  return paths;
}

/** Takes a picture of the page as it is now, or of its top `height` pixels: `reports/screenshots/<name>.png`. */
export async function picture(page: Page, name: string, height = Infinity): Promise<readonly string[]> {
  if (!areTaken()) return [];
  const path = join(DIRECTORY, `${name}.png`);
  const all = await page.evaluate<number>('document.documentElement.scrollHeight');
  const top = { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height: Math.min(all, height) };
  const clip = all > height ? { clip: top } : {};
  await page.screenshot({ path, fullPage: true, animations: 'disabled', ...clip });
  return [path];
}

/** Off by default, because screenshots take as much processor time as the tests' own checks. */
function areTaken(): boolean {
  return process.env['SCREENSHOTS'] === '1';
}
