import { describe, expect, it } from 'vitest';
import { elapsing, eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { must, startFlow, untilStatus } from './support/flow.ts';
import type { Flow } from './support/flow.ts';
import { unlinked } from './support/linked.ts';

describe('a QR whose secret the network retires', () => {
  it('is shown again with a new secret, which links the phone', async () => {
    const { network, open } = await unlinked();
    const { wa, account } = network;
    const link = await open();
    const first = await link.first('qr');
    wa.retireQrSecret(first.code);

    const second = await link.first('qr', ({ code }) => code !== first.code);
    const [ref, noiseKey, identityKey, , platform] = first.code.split(',');
    const [, , , newSecret = ''] = second.code.split(',');
    expect(second.code).toBe([ref, noiseKey, identityKey, newSecret, platform].join(','));
    expect(Buffer.from(newSecret, 'base64')).toHaveLength(32);
    expect(second.expiresAt).toBe(first.expiresAt);
    expect(() => wa.scanQr(account, first.code)).toThrow('retired');
    wa.scanQr(account, second.code);
    await link.first('connected');
  });

  it.runIf(isLongForm)('is acknowledged to the network', async () => {
    const { network, open } = await unlinked();
    const { wa } = network;
    const link = await open();
    wa.retireQrSecret((await link.first('qr')).code);
    await eventually(() => {
      const acks = wa
        .transcript()
        .filter(({ direction, node }) => direction === 'received' && node.tag === 'ack');
      expect(acks.map(({ node }) => node.attrs)).toEqual([
        expect.objectContaining({
          class: 'notification',
          type: 'companion_reg_refresh',
          to: '@s.whatsapp.net',
        }),
      ]);
    });
  });

  it.runIf(isLongForm)('keeps the new secret in the QRs that follow', async () => {
    // The first QR must expire, but the fifth must not expire before the second is scanned.
    const { network, open } = await unlinked({ gateway: { socket: { qrTimeout: elapsing(2_000) } } });
    const link = await open();
    const first = await link.first('qr');
    network.wa.retireQrSecret(first.code);
    const secretOf = (code: string): string | undefined => code.split(',')[3];
    const refOf = (code: string): string | undefined => code.split(',')[0];
    const later = await link.first('qr', ({ code }) => refOf(code) !== refOf(first.code));
    expect(secretOf(later.code)).not.toBe(secretOf(first.code));
    network.wa.scanQr(network.account, later.code);
    await link.first('connected');
  });

  it.runIf(isLongForm)('links a phone that is typing a code with the secret of that code', async () => {
    const { network, open } = await unlinked();
    const { wa, account } = network;
    const link = await open({ pairingNumber: account.phoneNumber });
    const { code, pairingCode = '' } = await link.first('qr');
    wa.retireQrSecret(code);
    await wa.enterCode(account, pairingCode);
    wa.retireQrSecret(code);
    await link.first('connected');
  });
});

describe('a pairing code', () => {
  it('is asked for in the name of a browser that the network knows', async () => {
    const { network, open } = await unlinked({ gateway: { deviceName: 'Acme' } });
    const { wa, account } = network;
    const link = await open({ pairingNumber: account.phoneNumber });
    const { pairingCode = '' } = await link.first('qr');
    await wa.enterCode(account, pairingCode);
    await link.first('connected');
  });

  it.each(isLongForm ? [400, 404, 429] : [400])(
    'that the network refuses with %i fails the instance, once',
    async (code) => {
      const flow = await startFlow();
      flow.wa.refusePairingCodes(code);
      const { client } = flow.service();
      must(await client.instances.connect(flow.instance, { pairing_phone_number: '5511900000001' }));
      await untilStatus(flow, 'error');
      expect(must(await client.instances.get(flow.instance))).toMatchObject({
        last_error: 'pairing_code_refused',
        paired: false,
      });
      const offered = flow.wa
        .transcript()
        .filter(({ node }) => node.attrs['xmlns'] === 'md' && node.attrs['type'] === 'set');
      expect(offered.filter(({ direction }) => direction === 'sent')).toHaveLength(1);
      expect(flow.receiver.events.map(({ type }) => type)).not.toContain('instance.qr_required');
    },
  );

  it.each(isLongForm ? [400, 429] : [400])(
    'that was typed and is refused with %i fails the instance, once',
    async (code) => {
      const flow = await startFlow();
      flow.wa.refuseTypedCodes(code);
      const { client } = flow.service();
      const pairing = { pairing_phone_number: flow.account.phoneNumber };
      must(await client.instances.connect(flow.instance, pairing));
      await untilStatus(flow, 'qr_required');
      await flow.wa.enterCode(flow.account, await pairingCodeOf(flow));
      await untilStatus(flow, 'error');
      expect(must(await client.instances.get(flow.instance))).toMatchObject({
        last_error: 'pairing_code_refused',
        paired: false,
      });

      flow.wa.refuseTypedCodes();
      must(await client.instances.connect(flow.instance, pairing));
      await untilStatus(flow, 'qr_required');
      await flow.wa.enterCode(flow.account, await pairingCodeOf(flow));
      await untilStatus(flow, 'connected');
    },
  );

  it.runIf(isLongForm)(
    'that was typed and that the network cannot take at the moment is replaced by another',
    async () => {
      const { network, open } = await unlinked();
      const { wa, account } = network;
      wa.refuseTypedCodes(503);
      const link = await open({ pairingNumber: account.phoneNumber });
      const { pairingCode = '' } = await link.first('qr');
      await wa.enterCode(account, pairingCode);
      expect((await link.first('closed')).reason).toEqual({ kind: 'dropped', detail: 'connection_failed' });
      wa.refuseTypedCodes();
      const again = await open({ pairingNumber: account.phoneNumber });
      const { pairingCode: next = '' } = await again.first('qr');
      expect(next).not.toBe(pairingCode);
      await wa.enterCode(account, next);
      await again.first('connected');
    },
  );

  it('that the network cannot give at the moment is asked for again', async () => {
    const { network, open } = await unlinked();
    network.wa.refusePairingCodes(503);
    const link = await open({ pairingNumber: network.account.phoneNumber });
    expect((await link.first('closed')).reason).toEqual({ kind: 'dropped', detail: 'connection_failed' });
    expect(link.all('qr')).toEqual([]);
  });
});

async function pairingCodeOf({ instance, service }: Flow): Promise<string> {
  return must(await service().client.instances.qr(instance)).pairing_code ?? '';
}
