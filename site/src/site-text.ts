import { posix } from 'node:path';
import type { Section, SitePage } from './contents.ts';
import { REPOSITORY } from './repository.ts';

const OPENAPI_PATH = 'packages/http/openapi.json';

/** The folder of the pages' pictures, which are below `images` on the site. */
export const IMAGES_PATH = 'docs/images';

export interface SiteTextOptions {
  /** Every page of the site, by the path of its file. */
  readonly pages: ReadonlyMap<string, SitePage>;
  /** The beginning of the site's addresses: empty, or `/0.1`. */
  readonly base: string;
  readonly isDirectory: (path: string) => boolean;
}

/**
 * The text of a page for the site, without its first heading, which the site shows itself. Relative links lead to pages
 * of the site if they exist, else to the file on the code host. Code is not changed.
 */
export function siteText(page: SitePage, markdown: string, options: SiteTextOptions): string {
  const body = markdown.replace(/^# .*\n+/, '');
  const pieces = body.split(/^(```.*?^```)$/ms);
  return pieces
    .map((piece, index) => (index % 2 === 0 ? withAsides(withLinks(piece, page, options)) : piece))
    .join('');
}

/** Converts the code host's alerts (`> [!WARNING]`) to the site's asides. */
function withAsides(text: string): string {
  return text.replaceAll(/^> \[!(\w+)\]\n((?:>.*\n?)+)/gm, (_, kind: string, lines: string) => {
    const aside = ASIDES[kind] ?? 'note';
    return `:::${aside}\n${lines.replaceAll(/^> ?/gm, '').trimEnd()}\n:::\n`;
  });
}

const ASIDES: Readonly<Record<string, string>> = { TIP: 'tip', WARNING: 'caution', CAUTION: 'danger' };

/** A relative target in a link or a picture of Markdown, and in a picture of HTML. */
const RELATIVE = /(\]\(|\s(?:src|srcset|href)=")(?!\w+:|#)([^)"#\s]+)(#[^)"\s]*)?(?=[)"])/g;

function withLinks(text: string, page: SitePage, options: SiteTextOptions): string {
  return text.replaceAll(RELATIVE, (_, opening: string, link: string, anchor = '') => {
    const target = posix.join(posix.dirname(page.path), link).replace(/\/$/, '');
    return `${opening}${address(target, options)}${anchor}`;
  });
}

function address(target: string, { pages, base, isDirectory }: SiteTextOptions): string {
  const page = pages.get(target) ?? pages.get(posix.join(target, 'README.md'));
  if (page) return page.slug === 'index' ? `${base}/` : `${base}/${page.slug}/`;
  if (target === OPENAPI_PATH) return `${base}/openapi.json`;
  if (target.startsWith(IMAGES_PATH)) return `${base}/images${target.slice(IMAGES_PATH.length)}`;
  return `${REPOSITORY}/${isDirectory(target) ? 'tree' : 'blob'}/main/${target}`;
}

/** `llms.txt`: every page with its description and the address of its Markdown. */
export function llmsText(sections: readonly Section[], base: string): string {
  const parts = sections.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${base}/${page.slug}.md): ${page.description}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Trunkline

> Trunkline is a messaging service for Node, to embed in an app or to run as a server: a workspace links phone numbers,
> queues messages to people and groups, and gets signed webhooks about what happens.

The whole text of all pages is in [llms-full.txt](${base}/llms-full.txt), and the API in [openapi.json](${base}/openapi.json).

${parts.join('\n')}`;
}
