import { expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { linkPhone, startWhatsAppHarness, untilStatus } from './support/whatsapp-harness.ts';

it('a server connects, sends and receives on WhatsApp and in the sandbox, side by side', async () => {
  const harness = await startWhatsAppHarness({ GATEWAYS: 'whatsapp,sandbox' });
  const { wa, account, bob, instance, server, start } = harness;
  await linkPhone(harness, server);
  const { client } = server;
  const api = (method: string, path: string, body?: unknown) =>
    client.request(method, `/api/v1${path}`, { body });
  expect((await api('GET', '/networks')).body).toMatchObject({
    data: [
      { name: 'whatsapp', simulated: false, default: true },
      { name: 'sandbox', simulated: true, default: false },
    ],
  });
  expect((await api('POST', '/instances', { network: 'pigeon' })).status).toBe(422);
  const created = await api('POST', '/instances', { network: 'sandbox' });
  const { data: simulated } = created.body as { data: { id: string; network: string } }; // as the API specifies
  expect(simulated.network).toBe('sandbox');
  await client.connect(simulated.id);
  await untilStatus(server, simulated.id, 'connected');

  // The controls of simulated phones do not reach a real one.
  const scan = await client.request('POST', `/sandbox/instances/${instance}/scan`);
  expect(scan.status).toBe(409);

  const onWhatsApp = await client.send({ instance, to: bob.phoneNumber, text: 'Hello Bob' });
  expect((await wa.nextMessage()).content).toEqual({ type: 'text', text: 'Hello Bob' });
  const inSandbox = await client.send({ instance: simulated.id, text: 'Hello you' });
  await until('both are sent', async () => {
    const [one, other] = [await client.message(onWhatsApp.id), await client.message(inSandbox.id)];
    return one.status === 'sent' && other.status === 'read';
  });
  await wa.inbound(bob, account, 'Hello shop');
  await client.request('POST', `/sandbox/instances/${simulated.id}/messages`, {
    body: { from: '15550101', text: 'Hello sandbox' },
  });
  for (const [id, text] of [
    [instance, 'Hello shop'],
    [simulated.id, 'Hello sandbox'],
  ])
    await until('it is received', async () => {
      const { body } = await api('GET', `/messages?instance=${id}&direction=inbound`);
      return JSON.stringify(body).includes(`"${text}"`);
    });
  expect(await server.stop()).toBe(0);

  const next = await start();
  await untilStatus(next, instance, 'connected');
  await untilStatus(next, simulated.id, 'connected');
  expect(await next.stop()).toBe(0);
});
