import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { linkPhone, qrOf, startWhatsAppHarness, untilStatus } from './support/whatsapp-harness.ts';

describe('GATEWAYS=whatsapp', () => {
  it('links a phone, sends, receives, and is still linked after a restart', async () => {
    const harness = await startWhatsAppHarness({ MESSAGES_PER_MINUTE: '600' });
    const { wa, account, bob, receiver, instance, server, start } = harness;
    await linkPhone(harness, server);
    // On WhatsApp, requests cannot control phones.
    const scan = `/sandbox/instances/${instance}/scan`;
    expect((await server.client.request('POST', scan)).status).toBe(404);

    const { id } = await server.client.send({ instance, to: bob.phoneNumber, text: 'Hello Bob' });
    expect((await wa.nextMessage()).content).toEqual({ type: 'text', text: 'Hello Bob' });
    await until('it is sent', async () => (await server.client.message(id)).status === 'sent');
    await wa.inbound(bob, account, 'Hello shop');
    await until('the receiver is notified', () =>
      receiver.requests.some(({ event }) => event.type === 'message.received'),
    );

    expect(await server.stop()).toBe(0);
    // The server prints neither the QR, which is for terminals, nor output of Signal's library.
    expect(server.stdout().split('\n').slice(1)).toEqual([
      `The dashboard is at ${server.url}/dashboard: "trunkline dashboard" prints a link that signs in`,
      `Trunkline is at ${server.url}/api/v1`,
      'API key: the one in API_KEY',
      '',
    ]);
    expect(JSON.parse(server.stderr())).toMatchObject({
      level: 40,
      msg: expect.stringMatching(/^WEBHOOK_URL_POLICY=local /),
    });
    expect(receiver.refused).toEqual([]);

    // The tests of gateway-baileys already restart the gateway on stored data, without a server.
    if (!isLongForm) return;
    await wa.inbound(bob, account, 'Are you closed?');
    const next = await start();
    await untilStatus(next, instance, 'connected');
    await until('what was missed is reported', () =>
      receiver.requests.some(
        ({ event: { data } }) => 'message' in data && data.message.text === 'Are you closed?',
      ),
    );
    expect(await next.stop()).toBe(0);
    expect(receiver.refused).toEqual([]);
  });

  it.runIf(isLongForm)('shows a pairing code for a phone without a camera', async () => {
    const harness = await startWhatsAppHarness();
    const { wa, account, instance, server } = harness;
    const { status } = await server.client.request('POST', `/api/v1/instances/${instance}/connect`, {
      body: { pairing_phone_number: account.phoneNumber },
    });
    expect(status).toBe(202);
    await untilStatus(server, instance, 'qr_required');
    await wa.enterCode(account, (await qrOf(server, instance)).pairing_code ?? '');
    await untilStatus(server, instance, 'connected');
    await server.stop();
  });

  it.runIf(isLongForm)(
    'ends on SIGTERM while a send has no response, and the next server repeats it under its id',
    async () => {
      const harness = await startWhatsAppHarness({ STOP_TIMEOUT: '2' });
      const { wa, bob, receiver, instance, server, start } = harness;
      await linkPhone(harness, server);
      await wa.holdAcks();
      const { id } = await server.client.send({ instance, to: bob.phoneNumber, text: 'Hello Bob' });
      const unanswered = await wa.nextMessage();
      // Exit code 1 would mean that the stop took too long.
      expect(await server.stop()).toBe(0);
      expect(server.stderr()).toContain('sends had not ended');

      await wa.releaseAcks();
      const next = await start();
      await until('it is sent', async () => (await next.client.message(id)).status === 'sent');
      expect((await wa.nextMessage()).id).toBe(unanswered.id);
      expect(await wa.inbox(bob)).toHaveLength(1);
      await until('the receiver is notified', () =>
        receiver.requests.some(({ event }) => event.type === 'message.sent'),
      );
      expect(await next.stop()).toBe(0);
    },
  );

  it.runIf(isLongForm)('survives a network that drops it again and again, whatever it is doing', async () => {
    const harness = await startWhatsAppHarness();
    const { wa, account, bob, instance, server } = harness;
    await linkPhone(harness, server);
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      ids.push((await server.client.send({ instance, to: bob.phoneNumber, text: `round ${round}` })).id);
      const isBack = wa.next('online', account);
      await wa.drop(account);
      await wa.inbound(bob, account, `answer ${round}`);
      await isBack;
    }
    for (const id of ids)
      await until('it is sent', async () => (await server.client.message(id)).status === 'sent');
    const shown = await wa.inbox(bob);
    expect(shown).toHaveLength(ids.length);
    expect(await server.stop()).toBe(0);
  });
});
