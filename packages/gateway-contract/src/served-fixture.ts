import { createTrunkline, silentLogger } from '@trunkline/core';
import type { WorkspaceApi } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { expect, onTestFinished } from 'vitest';
import type { GatewaySubject, SentToNetwork } from './contract-subject.ts';

export interface ServedFixture {
  readonly api: WorkspaceApi;
  readonly instance: string;
  /** The number of a person who gets messages. */
  readonly to: string;
  /** Sends a text, waits until the network has accepted it, and returns all accepted messages. */
  acceptedAfterText(): Promise<readonly SentToNetwork[]>;
}

export async function servedFixture(subject: GatewaySubject): Promise<ServedFixture> {
  const { gateway, people, phone, stop } = await subject.start();
  const trunkline = createTrunkline({
    ...testRuntime(),
    clock: systemClock(),
    random: systemRandom(),
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [gateway],
    secretKey: 'a secret key of at least 32 characters',
    logger: silentLogger,
  });
  onTestFinished(async () => {
    await trunkline.stop();
    await stop();
  });
  await trunkline.start();
  const workspace = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const api = trunkline.workspace(workspace.id);
  const { id: instance } = await api.instances.create({ credentials: subject.credentials?.valid });
  await api.instances.connect(instance);
  const { scan, accepted } = phone(instance);
  if (!subject.credentials) await scan((await eventually(() => api.instances.qr(instance))).code);
  await eventually(async () => expect((await api.instances.get(instance)).status).toBe('connected'));
  return {
    api,
    instance,
    to: people.reader,
    async acceptedAfterText() {
      await api.messages.send({ instance, to: people.reader, type: 'text', text: 'Still there?' });
      return eventually(() => {
        expect(accepted().map(({ text }) => text)).toContain('Still there?');
        return accepted();
      });
    },
  };
}
