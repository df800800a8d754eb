import { describe, expect, it } from 'vitest';
import { scriptedGateway } from './support/scripted-gateway.ts';
import { MINUTE, STEP, connected, listen, startHarness, receivedTypes } from './support/harness.ts';

describe('an instance stops', () => {
  it('when its QR is not scanned: disconnected, for qr_timeout', async () => {
    const harness = await startHarness();
    await listen(harness);
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(3 * MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'qr_timeout',
      paired: false,
    });
    await harness.clock.advance(10 * MINUTE);
    expect(receivedTypes(harness)).toEqual(['instance.qr_required', 'instance.disconnected']);

    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'qr_required', last_error: null });
  });

  it('when the phone unlinks it: logged out, and the next connect needs a QR', async () => {
    const { harness, id, since } = await connected();
    await harness.sandbox.phone(id).unlink();
    await harness.clock.settle();
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'logged_out',
      last_error: 'logged_out_from_phone',
      paired: false,
      phone_number: null,
      profile_name: null,
    });
    expect(since()).toEqual(['instance.disconnected']);
    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'qr_required' });
  });

  it('when the network refuses it for good: error, session kept', async () => {
    const { harness, id, since } = await connected();
    await harness.sandbox.phone(id).fail();
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'error',
      last_error: 'sandbox_failure',
      paired: true,
    });
    expect(since()).toEqual(['instance.error']);

    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(since()).toEqual(['instance.error', 'instance.connected']);
  });

  it('when it is unlinked before its number was ever known, and does not try again', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed({ kind: 'unlinked' }) });
    const { harness, id } = await connected({ gateway });
    expect(gateway.connections).toHaveLength(1);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'logged_out' });
  });
});
