// Serves the docs from their sources (`dev`), or builds the site into dist/ (`build`) and checks its links.
import { build, dev } from 'astro';
import { renameSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { base } from './src/address.ts';
import { brokenLinks } from './src/broken-links.ts';
import { ROOT } from './src/repository.ts';
import { clearPages, writePages } from './src/write-pages.ts';

const root = import.meta.dirname;
process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
process.noDeprecation = true; // the API reference's code samples come from a library that calls url.parse

clearPages();
writePages(base);
if (process.argv[2] === 'dev') {
  await dev({ root });
  watch(join(ROOT, 'docs'), { recursive: true }, () => {
    try {
      writePages(base);
    } catch (error) {
      console.error('The pages could not be written; they are again at the next change.', error);
    }
  });
} else {
  await build({ root });
  renameSync(join(root, 'dist/404/index.html'), join(root, 'dist/404.html')); // the place where hosts look for it
  rmSync(join(root, 'dist/404'), { recursive: true });
  const broken = brokenLinks(join(root, 'dist'), base);
  if (broken.length > 0) {
    console.error(`${broken.length} links of the built site lead nowhere:\n${broken.join('\n')}`);
    process.exitCode = 1;
  }
}
