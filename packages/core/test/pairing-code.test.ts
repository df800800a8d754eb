import { describe, expect, it } from 'vitest';
import { STEP, connected, startHarness } from './support/harness.ts';

describe('pairing by a code', () => {
  it('shows a code next to the QR if a phone asked for one', async () => {
    const { api, clock, sandbox } = await startHarness();
    const { id } = await api.instances.create();
    await api.instances.connect(id, { pairing_phone_number: '+1 (555) 010-0' });
    await clock.advance(STEP);
    const { pairing_code: code } = await api.instances.qr(id);
    expect(code).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);

    await clock.advance(60_000);
    expect(await api.instances.qr(id)).toMatchObject({ pairing_code: code });
    await sandbox.phone(id).scan();
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('shows no code if no number was given, nor at the next connect', async () => {
    const { api, clock } = await startHarness();
    const { id } = await api.instances.create();
    await api.instances.connect(id);
    await clock.advance(STEP);
    expect(await api.instances.qr(id)).toMatchObject({ pairing_code: null });

    await api.instances.disconnect(id);
    await api.instances.connect(id, { pairing_phone_number: '15550100' });
    await clock.advance(STEP);
    expect((await api.instances.qr(id)).pairing_code).toBeTypeOf('string');
    await api.instances.disconnect(id);
    await api.instances.connect(id, { pairing_phone_number: null });
    await clock.advance(STEP);
    expect(await api.instances.qr(id)).toMatchObject({ pairing_code: null });
  });

  it.each([
    '',
    '12',
    'hello',
    '+0 555',
    '+34 (0) 600 123 456',
    'grp_01kaj2q4m3f7h9k2n5p8r1t6w0',
    15550100,
    ['15550100'],
  ])('refuses %j as a phone number', async (number) => {
    const { api } = await startHarness();
    const { id } = await api.instances.create();
    const input = { pairing_phone_number: number as string }; // as a caller without types may pass
    await expect(api.instances.connect(id, input)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { pairing_phone_number: [expect.any(String)] } },
    });
    expect(await api.instances.get(id)).toMatchObject({ status: 'created' });
  });

  it('keeps no number of a phone that is linked', async () => {
    const { harness, id } = await connected();
    const stored = await harness.storage.instances.find(harness.workspaceId, id);
    expect(stored).toMatchObject({ status: 'connected', pairingNumber: null });
  });
});
