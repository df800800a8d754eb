import { describe, expect, it } from 'vitest';
import { scriptedGateway } from './support/scripted-gateway.ts';
import { MINUTE, STEP, connected, listen, startWorld, toldTypes } from './support/world.ts';

describe('an instance stops', () => {
  it('when nobody scans: disconnected, for qr_timeout', async () => {
    const world = await startWorld();
    await listen(world);
    const { id } = await world.api.instances.create();
    await world.api.instances.connect(id);
    await world.clock.advance(3 * MINUTE);
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'qr_timeout',
      paired: false,
    });
    await world.clock.advance(10 * MINUTE);
    expect(toldTypes(world)).toEqual(['instance.qr_required', 'instance.disconnected']);

    await world.api.instances.connect(id);
    await world.clock.advance(STEP);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'qr_required', last_error: null });
  });

  it('when the phone unlinks it: logged out, and the next connect needs a QR', async () => {
    const { world, id, since } = await connected();
    await world.sandbox.phone(id).unlink();
    await world.clock.settle();
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'logged_out',
      last_error: 'logged_out_from_phone',
      paired: false,
      phone_number: null,
      profile_name: null,
    });
    expect(since()).toEqual(['instance.disconnected']);
    await world.api.instances.connect(id);
    await world.clock.advance(STEP);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'qr_required' });
  });

  it('when the network refuses it for good: error, session kept', async () => {
    const { world, id, since } = await connected();
    await world.sandbox.phone(id).fail();
    await world.clock.advance(MINUTE);
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'error',
      last_error: 'sandbox_failure',
      paired: true,
    });
    expect(since()).toEqual(['instance.error']);

    await world.api.instances.connect(id);
    await world.clock.advance(STEP);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(since()).toEqual(['instance.error', 'instance.connected']);
  });

  it('when it is unlinked before its number was ever known, rather than trying for ever', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed({ kind: 'unlinked' }) });
    const { world, id } = await connected({ gateway });
    expect(gateway.connections).toHaveLength(1);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'logged_out' });
  });
});
