import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import type { Rolldown } from 'vite';
import config from '../app/vite.config.ts';

// Builds the files for browsers and writes them as a module: `node derive/build-app.ts <file>`. A separate process, so
// that a server that starts from its sources does not keep the bundler in memory.

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const [, , target = 'dist/assets.js'] = process.argv;
await writeAssets(target);

/** Replaces each file in one step, so that concurrent builds and readers do not interfere. */
async function writeAssets(path: string): Promise<void> {
  // Makes Vite build React for production.
  process.env['NODE_ENV'] = 'production';
  const files = await builtFiles();
  const served = [...files].flatMap(([name, content]) => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    return [[name, { type, gzip: gzipSync(content, { level: 9 }).toString('base64') }]];
  });
  await mkdir(dirname(path), { recursive: true });
  await write(path, moduleOf(Object.fromEntries(served)));
  // The licences of bundled packages must be distributed with them.
  await write(join(dirname(path), 'app-licenses.md'), files.get('licenses.md') ?? '');
}

function moduleOf(assets: object): string {
  return [
    '// Written by derive/build-app.ts.',
    `const assets = ${JSON.stringify(assets)};`,
    'export async function loadAssets() {',
    '  return assets;',
    '}',
    '',
  ].join('\n');
}

async function builtFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const output = await build({ ...config, build: { ...config.build, write: false } });
  const { output: items } = single(output);
  return new Map(items.map((item) => [item.fileName, item.type === 'chunk' ? item.code : item.source]));
}

function single(output: Awaited<ReturnType<typeof build>>): Rolldown.RolldownOutput {
  const one = Array.isArray(output) ? output[0] : output;
  if (!one || !('output' in one)) throw new Error('Vite did not build once: check app/vite.config.ts.');
  return one;
}

async function write(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}
