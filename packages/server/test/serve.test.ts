import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { freePort } from '@trunkline/test-support/free-port';
import { serve } from '../src/index.ts';
import { fromOptions } from '../src/settings/setting-sources.ts';
import { readSettings } from '../src/settings/settings.ts';
import { startServer } from '../src/start-server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

describe('serve()', () => {
  it('starts a server in this process, resolves when it is ready, and can be called again', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const listeners = process.listenerCount('SIGTERM');
    const options = { port: 0, dataDir, apiKey: API_KEY, logLevel: 'silent' } as const;
    for (let start = 1; start <= 2; start += 1) {
      const server = await serve(options);
      expect(print.mock.calls.flat().join('')).toContain(`Trunkline is at ${server.url}/api/v1\n`);
      expect((await testClient(server.url).request('GET', '/api/v1/instances')).status).toBe(200);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await server.stop();
      await expect(fetch(`${server.url}/readyz`)).rejects.toThrow('fetch failed');
    }
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
  });

  it('takes nothing from the environment unless it is given, and names an unknown option', async () => {
    vi.stubEnv('RATE_LIMIT', 'many');
    onTestFinished(() => void vi.unstubAllEnvs());
    const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const dataDir = join(temporaryDirectory(), 'data');
    const server = await serve({ port: 0, dataDir, logLevel: 'silent' });
    await server.stop();
    expect(print).toHaveBeenCalled();
    await expect(serve({ environment: process.env, port: 0, dataDir })).rejects.toThrow(
      'RATE_LIMIT must be a whole number from 0 to 1000000000.',
    );
    const misspelt: object = { prot: 80 };
    await expect(serve({ ...misspelt })).rejects.toThrow(
      'serve: there is no option "prot". Did you mean "port"?',
    );
  });

  it('leaves nothing behind if it cannot start: neither a file nor a port in use', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'trunkline.db'), 'Once upon a time there was a database.');
    const port = await freePort();
    const secretKey = 'a-secret-key-of-more-than-32-characters';
    const cooking = join(directory, 'cooking.db');
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(cooking);
    database.exec('CREATE TABLE recipes (name TEXT)');
    database.close();
    const before = readFileSync(cooking);
    for (const options of [
      { dataDir: directory },
      { dataDir: join(directory, 'data'), databaseUrl: `sqlite:${cooking}`, secretKey },
    ]) {
      await expect(serve({ port, logLevel: 'silent', ...options })).rejects.toThrow(/database/i);
      // The port has no listener, so another server can listen there.
      const again = createServer().listen(port, '127.0.0.1');
      await new Promise((resolve, reject) => again.once('listening', resolve).once('error', reject));
      await new Promise((resolve) => again.close(resolve));
    }
    expect(readFileSync(cooking)).toEqual(before);
    expect(existsSync(join(directory, 'data'))).toBe(false);
  });

  it('closes its database if the service refuses an option', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const settings = readSettings(fromOptions({ port: 0, dataDir }));
    const terminal = { isTTY: false, say() {} };
    const server = await startServer(settings, silentLogger, { terminal });
    await server.stop();
    const closed = readdirSync(dataDir);

    let open: readonly string[] = [];
    const starting = startServer(settings, silentLogger, {
      terminal,
      adapt(options) {
        open = readdirSync(dataDir);
        return { ...options, stopTimeoutMs: -1 };
      },
    });
    await expect(starting).rejects.toThrow('stopTimeoutMs');
    // SQLite keeps this file until the last connection to the database is closed.
    expect(open).toContain('trunkline.db-wal');
    expect(readdirSync(dataDir)).toEqual(closed);
  });
});
