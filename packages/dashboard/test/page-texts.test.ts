import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const APP = new URL('../app/src/', import.meta.url);
/** The areas whose texts are in the first file of each language. */
const OF_THE_FRAME = ['common', 'shell'];

/** The areas whose texts a file and its static imports use. */
async function areasShownBy(file: URL, seen = new Set<string>()): Promise<readonly string[]> {
  if (seen.has(file.href)) return [];
  seen.add(file.href);
  const source = await readFile(file, 'utf8');
  const own = [...source.matchAll(/useTexts\('(\w+)'\)/g)].map(([, area = '']) => area);
  const imports = [...source.matchAll(/^import (?!type )[^;]*?'(\.[^']+\.tsx?)'/gm)];
  const others = await Promise.all(imports.map(([, path = '']) => areasShownBy(new URL(path, file), seen)));
  return [...own, ...others.flat()];
}

it('a page names the texts that it shows, so that they are fetched together with it', async () => {
  const table = new URL('router/routes.ts', APP);
  const source = await readFile(table, 'utf8');
  const pages = [...source.matchAll(/page\(\(\) => import\('([^']+)'\), '(\w+)', \[([^\]]*)\]/g)];
  expect(pages).toHaveLength([...source.matchAll(/component: (page|lazyRouteComponent)\(/g)].length);
  expect(pages.length).toBeGreaterThan(7);
  for (const [, path = '', name, named = ''] of pages) {
    const shown = new Set(await areasShownBy(new URL(path, table)));
    for (const area of OF_THE_FRAME) shown.delete(area);
    expect(named.match(/\w+/g)?.toSorted() ?? [], name).toEqual([...shown].toSorted());
  }
});
