import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runServer, startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const NEW_KEY = 'the-new-secret-key-of-32-characters';

describe('A new secret key', () => {
  it('replaces the one of the first start, in the steps of docs/running.md', async () => {
    const cwd = temporaryDirectory();
    const first = await startServer({ env: {}, cwd, isAtTerminal: true });
    const authorization = `Bearer ${first.shownKey()}`;
    await first.stop();
    const former = readFileSync(join(cwd, 'data', 'secret.key'), 'utf8').trim();

    if (isLongForm) {
      const refused = await runServer({ env: { SECRET_KEY: NEW_KEY }, cwd });
      expect(refused.stderr).toMatch(/The secretKey is not the one that this database was set up with/);
    }

    const both = await startServer({
      env: { SECRET_KEY: NEW_KEY, SECRET_KEY_PREVIOUS: former, LOG_LEVEL: 'info' },
      cwd,
    });
    await until('everything is sealed again', async () =>
      /everything is sealed with the first secretKey/.test(both.stdout() + both.stderr()) ? true : undefined,
    );
    await both.stop();

    const alone = await startServer({ env: { SECRET_KEY: NEW_KEY }, cwd });
    expect((await fetch(`${alone.url}/api/v1/instances`, { headers: { authorization } })).status).toBe(200);
    await alone.stop();
    if (isLongForm) expect((await runServer({ env: { SECRET_KEY: former }, cwd })).code).toBe(1);
  });
});
