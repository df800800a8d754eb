import type { PageFiles } from './assets.ts';

/**
 * The first request of each page except the sign-in page, and the next request of some. The URLs must equal the page's.
 */
const SESSION = 'api/session';
const FIRST_READS: Readonly<Record<string, string>> = {
  '/w/$workspace': 'api/workspaces/$workspace/overview',
  '/w/$workspace/messages': 'api/workspaces/$workspace/messages?origin=any&limit=50',
};

/** Returns tags that preload the files and data of the page at `below`. `pages` is a list of `PageFiles` as JSON. */
export function preloadsOf(
  request: Request,
  { below, pages }: { readonly below: string; readonly pages: string },
): string {
  const known: readonly PageFiles[] = JSON.parse(pages);
  const found = known
    .map((page) => ({ ...page, parameters: parametersOf(page.path, below) }))
    .find(({ parameters }) => parameters !== null);
  if (!found) return '';
  const { path, files, texts, parameters } = found;
  const scripts = [...files, ...texts[languageOf(request)]].map(
    (file) => `<link rel="modulepreload" crossorigin href="./${file}" fetchpriority="low">`,
  );
  if (path === '/sign-in') return scripts.join('');
  const read = new URL(request.url).search === '' ? FIRST_READS[path] : undefined;
  const reads = [SESSION, read?.replace('$workspace', parameters?.get('workspace') ?? '')].map((address) =>
    address === undefined ? '' : `<link rel="preload" as="fetch" crossorigin href="./${address}">`,
  );
  return [...reads, ...scripts].join('');
}

/** The value of each `$name` in `path`; null if `below` does not match, or if a value cannot be an id. */
function parametersOf(path: string, below: string): ReadonlyMap<string, string> | null {
  const wanted = path.split('/');
  const given = below.replace(/\/$/, '').split('/');
  if (path === '/') return given.length === 1 ? new Map() : null;
  if (wanted.length !== given.length) return null;
  const parameters = new Map<string, string>();
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? '';
    if (/^\$\w/.test(segment) && /^\w+$/.test(value)) parameters.set(segment.slice(1), value);
    else if (segment !== value) return null;
  }
  return parameters;
}

/** The browser's language, chosen as the page chooses it. */
function languageOf(request: Request): 'en' | 'es' {
  const tags = (request.headers.get('Accept-Language') ?? '').toLowerCase().split(',');
  for (const tag of tags) {
    const [language] = tag.trim().split(/[-;]/);
    if (language === 'en' || language === 'es') return language;
  }
  return 'en';
}
