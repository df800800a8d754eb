import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { manageProcess } from '../src/managed-process.ts';
import type { ManagedProcess } from '../src/managed-process.ts';
import { choices } from './support/choices.ts';
import { startReceiver } from './support/receivers.ts';
import type { Receiver } from './support/receivers.ts';
import { call, setUp } from './support/set-up.ts';
import { API_KEY } from './support/test-cluster.ts';

describe('The cluster of one command', () => {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-cluster-test-'));
  const printed: string[] = [];
  let cluster: ManagedProcess;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver('all', { events: ['message.sent', 'message.read'] }, choices(1));
    cluster = manageProcess({
      name: 'cluster',
      program: new URL('../src/main.ts', import.meta.url),
      env: {
        API_KEY,
        DATA_DIR: join(directory, 'data'),
        DATABASE_URL: '',
        PORT: '0',
        SECRET_KEY: randomBytes(32).toString('hex'),
        WEBHOOK_URL_POLICY: 'local',
        LOG_LEVEL: 'warn',
      },
      readyLine: /^(Ctrl-C stops everything)/,
      onLine: (line) => void printed.push(line),
    });
    await cluster.ready;
  });

  afterAll(async () => {
    await cluster.stop();
    receiver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const find = (pattern: RegExp): string => {
    const found = printed.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1);
    if (found === undefined) throw new Error(`${String(pattern)} was not printed:\n${printed.join('\n')}`);
    return found;
  };

  it('counts the requests of a key in both APIs together', async () => {
    const left = async (api: string): Promise<number> => {
      const url = find(new RegExp(`^${api} is at (\\S+)/api/v1$`));
      const headers = { Authorization: `Bearer ${API_KEY}` };
      const response = await fetch(`${url}/api/v1/api-key`, { headers });
      return Number(response.headers.get('X-RateLimit-Remaining'));
    };
    expect([await left('api-1'), await left('api-2'), await left('api-1')]).toEqual([599, 598, 597]);
  });

  it('sends through both APIs, and goes on when a process of each role ends', async () => {
    const url = find(/^Both APIs are behind (\S+)\/api\/v1$/);
    const networkUrl = find(/log is at (\S+)\/log$/);
    const [instance = ''] = await setUp({ url, networkUrl }, { receivers: [receiver], instances: 1 });
    const sendBy = async (api: string, text: string): Promise<void> => {
      const body = { instance, to: '15550100', type: 'text', text };
      const { id } = await until(`${text} is accepted`, () =>
        call(api, 'POST', '/messages', body).catch((error: Error) =>
          error.message.includes('INSTANCE_NOT_CONNECTED') ? null : Promise.reject(error),
        ),
      );
      await until(
        `${text} is read`,
        async () => (await call(api, 'GET', `/messages/${id}`)).status === 'read',
        90_000,
      );
      await until('its receiver knows', () =>
        receiver.arrivals.some(({ messageId, type }) => messageId === id && type === 'message.read'),
      );
    };
    for (const api of ['api-1', 'api-2']) await sendBy(find(new RegExp(`^${api} is at (\\S+)/api/v1$`)), api);

    const { connections } = (await (await fetch(`${networkUrl}/log`)).json()) as {
      connections: readonly { owner: string }[]; // as in network-log.ts
    };
    const [holder] = connections;
    expect(holder?.owner).toMatch(/^gateway-[12]$/);
    const ends = [
      ['api-1', 'SIGKILL', 'SIGKILL'],
      ['webhooks-1', 'SIGTERM', '0'],
      [String(holder?.owner), 'SIGKILL', 'SIGKILL'],
    ] as const;
    for (const [name, signal] of ends) {
      process.kill(Number(find(new RegExp(`^${name} is process (\\d+)$`))), signal);
    }
    for (const [name, , how] of ends) {
      await until(`${name} has ended`, () =>
        printed.includes(`[${name}] ended (${how}) and is started again`),
      );
    }
    await sendBy(url, 'after the kills');
  });
});
