import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createTrunkline, silentLogger } from '@trunkline/core';
import { nodeRuntime, systemClock, systemRandom } from '@trunkline/core/node';
import { memoryMediaStore, recordingSender } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { until } from '@trunkline/test-support';
import { networkGateway } from '../src/network-gateway.ts';
import { networkPhone } from '../src/network-phone.ts';
import { startNetwork } from '../src/network/network-server.ts';

it('A file that a phone sends to the network arrives byte for byte, and so does the text after it', async () => {
  const runtime = { clock: systemClock(), random: systemRandom(), logger: silentLogger };
  const network = await startNetwork(0, runtime);
  const media = memoryMediaStore();
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    ...runtime,
    media,
    storage: sqliteStorage({ path: ':memory:' }),
    webhookSender: recordingSender(),
    gateways: [networkGateway({ url: network.url, owner: 'gateway-1' })],
    secretKey: 'a secret key of at least 32 characters',
  });
  await trunkline.start();
  onTestFinished(async () => {
    await trunkline.stop();
    network.close();
  });
  const workspace = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const api = trunkline.workspace(workspace.id);
  const { id } = await api.instances.create();
  await api.instances.connect(id);
  const is = (status: string) => async (): Promise<boolean> =>
    (await api.instances.get(id)).status === status;
  await until('it shows a QR', is('qr_required'));
  const phone = networkPhone(network.url, id);
  await phone.scan();
  await until('it is connected', is('connected'));

  const content = new Uint8Array(200_000).map((_, index) => index % 251);
  const file = { type: 'document', content, mimeType: 'application/pdf', filename: 'a.pdf' } as const;
  await phone.receive({ from: '15550100', file });
  await phone.receive({ from: '15550100', text: 'after it' });
  const [message] = await until('both are stored', async () => {
    const { data } = await api.messages.list({ direction: 'inbound' });
    return data.length === 2 && data.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  });
  expect(message).toMatchObject({ type: 'document', media: { available: true, filename: 'a.pdf' } });
  const download = await api.messages.media(message?.id ?? '');
  expect((await buffer(await download.open())).equals(content)).toBe(true);
});
