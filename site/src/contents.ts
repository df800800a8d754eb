import { join, posix } from 'node:path';

/** A page of the site: a Markdown file of the repository. */
export interface SitePage {
  /** The path of the file from the root of the repository. */
  readonly path: string;
  /** The page's path on the site: `deploy/nginx`; `index` is the first page. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
}

/** A part of the sidebar. */
export interface Section {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

/** The file that lists every page, in order: the site's first page and its sidebar. */
export const CONTENTS_PATH = 'docs/README.md';

/**
 * The contents of `docs/README.md`: a section for each `## heading` that has items `- [title](path): description`. An
 * item may continue in the next line, indented.
 */
export function readContents(markdown: string): readonly Section[] {
  const [, ...parts] = markdown.split(/^## /m);
  return parts.flatMap((part) => {
    const [title = '', ...lines] = part.split('\n');
    const items = lines.join('\n').matchAll(/^- \[(.+?)\]\((.+?)\): (.+(?:\n {2}.+)*)$/gm);
    const pages = Array.from(items, ([, label = '', link = '', description = '']) => {
      const path = posix.join(posix.dirname(CONTENTS_PATH), link);
      return { path, slug: slugOf(path), title: label, description: description.replaceAll(/\n {2}/g, ' ') };
    });
    return pages.length === 0 ? [] : [{ title, pages }];
  });
}

function slugOf(path: string): string {
  if (path === 'README.md') return 'start';
  return (
    join('/', path.replace(/^docs\//, '').replace(/(README)?\.md$/, '')).replaceAll(/^\/|\/$/g, '') || 'index'
  );
}
