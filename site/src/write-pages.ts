import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONTENTS_PATH, readContents } from './contents.ts';
import type { Section, SitePage } from './contents.ts';
import { ROOT } from './repository.ts';
import { IMAGES_PATH, llmsText, siteText } from './site-text.ts';

const CONTENT = join(import.meta.dirname, 'content/docs');
const PUBLIC = join(import.meta.dirname, '../public');

const HOME: SitePage = {
  path: CONTENTS_PATH,
  slug: 'index',
  title: 'Trunkline',
  description: 'A messaging service for Node, to embed in an app or to run as a server.',
};

/** The sections of the sidebar. */
export function sections(): readonly Section[] {
  return readContents(readFileSync(join(ROOT, CONTENTS_PATH), 'utf8'));
}

/** Removes the pages of an earlier build. */
export function clearPages(): void {
  rmSync(CONTENT, { recursive: true, force: true });
  rmSync(PUBLIC, { recursive: true, force: true });
}

/** Writes the pages where Starlight reads them, and the site's other files. Both folders are git-ignored. */
export function writePages(base: string): void {
  const all = sections();
  const listed = [HOME, ...all.flatMap(({ pages }) => pages)];
  const pages = new Map(listed.map((page) => [page.path, page]));
  const isDirectory = (path: string): boolean => statSync(join(ROOT, path)).isDirectory();

  const texts = listed.map((page) => {
    const text = siteText(page, readFileSync(join(ROOT, page.path), 'utf8'), { pages, base, isDirectory });
    write(join(CONTENT, `${page.slug}.md`), `${frontmatter(page)}${text}`);
    const withTitle = `# ${page.title}\n\n${text}`;
    write(join(PUBLIC, `${page.slug}.md`), withTitle);
    return withTitle;
  });
  write(
    join(CONTENT, '404.md'),
    `---\ntitle: There is no such page\n---\n\nThe search finds it, or [the first page](${base}/).\n`,
  );
  write(join(PUBLIC, 'llms.txt'), llmsText(all, base));
  write(join(PUBLIC, 'llms-full.txt'), texts.join('\n\n'));
  copyFileSync(join(ROOT, 'packages/dashboard/app/src/icon.svg'), join(PUBLIC, 'favicon.svg'));
  copyFileSync(join(ROOT, 'packages/http/openapi.json'), join(PUBLIC, 'openapi.json'));
  cpSync(join(ROOT, IMAGES_PATH), join(PUBLIC, 'images'), { recursive: true });
}

/** Writes the values as JSON, which is valid YAML. */
function frontmatter({ title, description, path }: SitePage): string {
  const editUrl = `https://github.com/trunkline/trunkline/edit/main/${path}`;
  const fields = Object.entries({ title, description, editUrl });
  return `---\n${fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n')}\n---\n\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
