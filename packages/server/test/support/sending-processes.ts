import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createTrunkline, SCOPES } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { temporaryDirectory } from './temporary-directory.ts';

/** Several services on one database, each with its own storage, API and senders, like separate processes. */
export interface SendingProcesses {
  /** Creates a workspace whose requests go to one service after another. */
  newWorkspace(webhookLimit: number): Promise<Ask>;
  /** Ends the services with their work in flight. From then on, a service without senders responds. */
  stopSending(): Promise<void>;
}

export type Ask = <Data>(method: string, path: string, body?: object) => Promise<Reply<Data>>;

interface Reply<Data> {
  readonly status: number;
  /** The response's data as the specification defines it; null without a body. */
  readonly data: Data;
}

interface Running {
  readonly trunkline: Trunkline;
  readonly app: ReturnType<typeof createHttpApp>;
}

export async function startSending(count: number): Promise<SendingProcesses> {
  const path = join(temporaryDirectory(), 'trunkline.db');
  let running = await Promise.all(Array.from({ length: count }, () => start(path, true)));
  let next = 0;
  const take = (): Running => {
    next += 1;
    const one = running[next % running.length];
    if (!one) throw new Error('None is running.');
    return one;
  };
  return {
    async newWorkspace(webhookLimit) {
      const { admin } = take().trunkline;
      const { id: workspaceId } = await admin.workspaces.create({ name: 'Acme', plan: { webhookLimit } });
      const { token } = await admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
      return async (method, target, body) => {
        const request = new Request(`http://api.test/api/v1${target}`, {
          method,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        const response = await take().app.fetch(request);
        const text = await response.text();
        return { status: response.status, data: text === '' ? null : JSON.parse(text).data };
      };
    },
    async stopSending() {
      await Promise.all(running.map(({ trunkline }) => trunkline.stop()));
      running = [await start(path, false)];
    },
  };
}

async function start(path: string, webhooks: boolean): Promise<Running> {
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage: sqliteStorage({ path }),
    gateways: [createSandbox().gateway],
    secretKey: 'a secret key of at least 32 characters',
    urlPolicy: 'local',
    roles: { gateway: false, webhooks },
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  return { trunkline, app: createHttpApp(trunkline, { rateLimit: false }) };
}
