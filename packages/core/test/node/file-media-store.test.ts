import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { isUnavailable } from '../../src/spi/storage.ts';
import { fileMediaStore } from '../../src/node/index.ts';
import type { MediaStore } from '../../src/index.ts';

const ID = 'msg_01jgfjjv00fsnvdjzy0jcm5xh8';

async function newStore(): Promise<{ readonly store: MediaStore; readonly directory: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'trunkline-media-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, 'media');
  return { store: fileMediaStore({ directory }), directory };
}

function streamOf(...chunks: readonly (string | Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(typeof next === 'string' ? new TextEncoder().encode(next) : next);
    },
  });
}

async function text(stream: ReadableStream<Uint8Array> | null): Promise<string | null> {
  return stream && new Response(stream).text();
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

function openFilesIn(directory: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return []; // closed in the meantime
    }
  });
}

// Behaviour that all media stores share is tested by the contract.
describe('the file media store', () => {
  it('keeps a file until it is deleted', async () => {
    const { store, directory } = await newStore();
    expect(await store.put(ID, streamOf('Hello, ', 'wörld', ''))).toBe(13);
    expect(await store.size(ID)).toBe(13);
    expect(await text(await store.get(ID))).toBe('Hello, wörld');
    // Another process on the same directory sees the same file.
    expect(await text(await fileMediaStore({ directory }).get(ID))).toBe('Hello, wörld');
    await store.delete(ID);
    await store.delete(ID);
    expect(await store.size(ID)).toBeNull();
    expect(await store.get(ID)).toBeNull();
    expect(await filesIn(directory)).toEqual([]);
  });

  it('knows nothing before the first file, and makes no directory for that', async () => {
    const { store, directory } = await newStore();
    expect([await store.size(ID), await store.get(ID)]).toEqual([null, null]);
    await store.delete(ID);
    await expect(stat(directory)).rejects.toThrow('ENOENT');
  });

  it('lets no other user read', async () => {
    const { store, directory } = await newStore();
    await store.put(ID, streamOf('secret'));
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await modeOf(directory)).toBe(0o700);
    expect(await modeOf(join(directory, 'h8'))).toBe(0o700);
    expect(await modeOf(join(directory, 'h8', ID))).toBe(0o600);
  });

  it('touches nothing outside of its directory', async () => {
    const { store, directory } = await newStore();
    await expect(store.put('../../etc/passwd', streamOf('x'))).rejects.toThrow(TypeError);
    await expect(stat(directory)).rejects.toThrow('ENOENT');
  });

  it('needs a directory', () => {
    expect(() => fileMediaStore({ directory: '' })).toThrow('directory');
  });

  it('does not move with the working directory', async () => {
    const { directory } = await newStore();
    const before = process.cwd();
    await mkdir(directory);
    process.chdir(directory);
    onTestFinished(() => process.chdir(before));
    const store = fileMediaStore({ directory: 'here' });
    process.chdir(before);
    await store.put(ID, streamOf('x'));
    expect(await filesIn(join(directory, 'here'))).toEqual([ID]);
  });

  it('closes a file that is not read to its end', async () => {
    const { store, directory } = await newStore();
    await store.put(ID, streamOf(new Uint8Array(1_000_000)));
    const unread = await store.get(ID);
    const begun = (await store.get(ID))?.getReader();
    await begun?.read();
    expect(openFilesIn(directory)).toHaveLength(2);
    await Promise.all([unread?.cancel(), begun?.cancel()]);
    await eventually(() => expect(openFilesIn(directory)).toEqual([]));
  });
});

describe('a file whose writing breaks off', () => {
  it('leaves nothing when the stream fails half-way, and rejects with its error', async () => {
    const { store, directory } = await newStore();
    await expect(store.put(ID, streamOf('half', new Error('connection reset')))).rejects.toThrow(
      'connection reset',
    );
    expect(await store.size(ID)).toBeNull();
    expect(await filesIn(directory)).toEqual([]);
    expect(openFilesIn(directory)).toEqual([]);
  });

  it('leaves what `delete` removes when the process is killed while it writes', async () => {
    const { store, directory } = await newStore();
    const program = `
      const { fileMediaStore } = await import(${JSON.stringify(new URL('../../src/node/index.ts', import.meta.url).href)});
      let pulls = 0;
      const endless = new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(65536));
          pulls += 1;
          if (pulls === 20) process.kill(process.pid, 'SIGKILL');
        },
      });
      await fileMediaStore({ directory: ${JSON.stringify(directory)} }).put(${JSON.stringify(ID)}, endless);
    `;
    const killed = spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', program]);
    expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);
    expect(await filesIn(directory)).toEqual([`${ID}.part`]);
    expect([await store.size(ID), await store.get(ID)]).toEqual([null, null]);
    await store.delete(ID);
    expect(await filesIn(directory)).toEqual([]);
  });

  it('can be stored again over its remains', async () => {
    const { store, directory } = await newStore();
    await mkdir(join(directory, 'h8'), { recursive: true });
    await writeFile(
      join(directory, 'h8', `${ID}.part`),
      'what a dead process has left, longer than the file',
    );
    await store.put(ID, streamOf('new'));
    expect(await text(await store.get(ID))).toBe('new');
    expect(await filesIn(directory)).toEqual([ID]);
  });
});

describe('a disk that fails', () => {
  it('is reported if it is full, and nothing is kept', async () => {
    const { store, directory } = await newStore();
    // Writing to /dev/full fails as on a full disk.
    await mkdir(join(directory, 'h8'), { recursive: true });
    await symlink('/dev/full', join(directory, 'h8', `${ID}.part`));
    let cancelled = false;
    const content = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => void (cancelled = true),
    });
    const failure: unknown = await store.put(ID, content).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ENOSPC' });
    expect(isUnavailable(failure)).toBe(true);
    expect(cancelled).toBe(true);
    expect(await filesIn(directory)).toEqual([]);
  });

  it('lists only the store’s own files, unfinished ones too', async () => {
    const { store, directory } = await newStore();
    const unfinished = ID.replace('msg', 'upl');
    await store.put(ID, streamOf('x'));
    await writeFile(join(directory, 'h8', `${unfinished}.part`), 'half');
    await writeFile(join(directory, 'h8', '.DS_Store'), '');
    await writeFile(join(directory, 'ab'), '');
    await mkdir(join(directory, 'zz'));
    await writeFile(join(directory, 'zz', ID), 'in the wrong folder');
    expect(await store.list?.({ after: null, limit: 10 })).toEqual({ ids: [ID, unfinished], next: null });
    await store.delete(unfinished);
    expect(await store.list?.({ after: null, limit: 10 })).toEqual({ ids: [ID], next: null });
  });

  it('is reported if a file has the name of its directory', async () => {
    const { store, directory } = await newStore();
    await writeFile(directory, 'in the way');
    await expect(store.put(ID, streamOf('x'))).rejects.toThrow(/ENOTDIR|EEXIST/);
    await expect(store.get(ID)).rejects.toThrow('ENOTDIR');
    await expect(store.size(ID)).rejects.toThrow('ENOTDIR');
  });

  it('is reported if a directory has the name of a file, and nothing else is kept', async () => {
    const { store, directory } = await newStore();
    await mkdir(join(directory, 'h8', ID, 'full'), { recursive: true });
    await expect(store.put(ID, streamOf('x'))).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await filesIn(directory)).toEqual([]);
  });

  // Root may write to every directory.
  it.skipIf(process.getuid?.() === 0)('is reported if its directory may not be written to', async () => {
    const { store, directory } = await newStore();
    await mkdir(directory, { mode: 0o500 });
    onTestFinished(() => chmod(directory, 0o700));
    await expect(store.put(ID, streamOf('x'))).rejects.toMatchObject({ code: 'EACCES' });
  });
});
