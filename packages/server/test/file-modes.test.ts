import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

/** A directory created before the server started, as a volume is, which all users may enter. */
function openDirectory(): string {
  const around = temporaryDirectory();
  chmodSync(around, 0o755);
  const directory = join(around, 'data');
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  return directory;
}

async function serverOn(DATA_DIR: string): Promise<ServerProcess> {
  const server = await startServer({ env: { DATA_DIR, API_KEY } });
  const client = testClient(server.url);
  const { id } = await client.createInstance();
  await client.connect(id);
  await client.sendFile({ instance: id, content: 'for nobody else' });
  return server;
}

/** The files below a directory to which the group or others have any access. */
function openToOthers(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(directory, name)).mode & 0o077) !== 0,
  );
}

describe.skipIf(process.platform === 'win32')("The server's files", () => {
  it('are only for its own user, even in a directory that all users may enter', async () => {
    const directory = openDirectory();
    const server = await serverOn(directory);
    const names = readdirSync(directory);
    expect(names).toEqual(
      expect.arrayContaining(['media', 'sandbox.db', 'secret.key', 'trunkline.db', 'trunkline.db-wal']),
    );
    expect(openToOthers(directory)).toEqual([]);
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
  });
});
