import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * The internal links of a built site whose targets are missing: files, pages, and anchors in pages. Returns one line
 * per link, which names the page with the link. `base` is the path below which the site is served.
 */
export function brokenLinks(folder: string, base: string): readonly string[] {
  const pages = globSync('**/*.html', { cwd: folder });
  const texts = new Map(pages.map((page) => [join(folder, page), readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map(Array.from(texts, ([page, html]) => [page, idsOf(html)]));
  return Array.from(texts).flatMap(([page, html]) => {
    const links = new Set(
      Array.from(html.matchAll(/ (?:href|src)="([^"]*)"/g), ([, link = '']) => decoded(link)),
    );
    return [...links]
      .filter((link) => isBroken(link, page))
      .map((link) => `${relative(folder, page)}: ${link}`);
  });

  function isBroken(link: string, page: string): boolean {
    if (/^(\w+:|\/\/)/.test(link)) return false;
    const [path = '', anchor = ''] = link.split('#');
    const target = path === '' ? page : targetOf(path.split('?')[0] ?? '', page);
    if (target === undefined) return true;
    return (
      anchor !== '' && anchor !== '_top' && anchors.get(target)?.has(decodeURIComponent(anchor)) === false
    );
  }

  function targetOf(path: string, page: string): string | undefined {
    if (path.startsWith('/') && !path.startsWith(`${base}/`)) return undefined;
    const file = path.startsWith('/') ? join(folder, path.slice(base.length)) : join(dirname(page), path);
    return [file, join(file, 'index.html')].find(
      (candidate) => /\.\w+$/.test(candidate) && existsSync(candidate),
    );
  }
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set(Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id = '']) => decoded(id)));
}

function decoded(attribute: string): string {
  return attribute
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&#38;', '&')
    .replaceAll('&amp;', '&');
}
