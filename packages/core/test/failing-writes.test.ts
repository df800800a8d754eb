import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../src/testing/index.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import { MINUTE, SECOND, connectScripted, sendText, startWorld } from './support/world.ts';

/** A world whose instances cannot be written while `disk.isFull`. */
async function fullDisk() {
  const storage = memoryStorage();
  const disk = { isFull: false, writes: 0 };
  const write = storage.instances.write.bind(storage.instances);
  storage.instances.write = (change) => {
    if (!disk.isFull || change.lease === null) return write(change);
    disk.writes += 1;
    return Promise.reject(new Error('database or disk is full'));
  };
  let unlinks = 0;
  const gateway = scriptedGateway({
    async logout() {
      unlinks += 1;
    },
    async unlink() {
      unlinks += 1;
    },
  });
  const world = await startWorld({ storage, gateway });
  const id = await connectScripted(world);
  return { world, id, disk, gateway, unlinks: () => unlinks };
}

describe('an instance whose writes fail', () => {
  it('is tried again less and less often, and goes on when they succeed', async () => {
    const { world, id, disk, gateway } = await fullDisk();
    const { opened } = gateway.script;
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    disk.isFull = true;
    await gateway
      .last()
      .listener.closed({ kind: 'dropped', detail: 'connection_lost' })
      .catch(() => {});
    await world.clock.advance(MINUTE);
    expect(disk.writes).toBeGreaterThan(2);
    expect(disk.writes).toBeLessThan(60);
    gateway.script.opened = opened;
    disk.isFull = false;
    await world.clock.advance(MINUTE);
    const { message } = await sendText(world, id);
    await world.clock.advance(SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('is unlinked once, however often the outcome cannot be written', async () => {
    const { world, id, disk, unlinks } = await fullDisk();
    disk.isFull = true;
    const logout = world.api.instances.logout(id).catch((error: unknown) => error);
    const lines = () =>
      world.logs.filter(({ message }) => message.includes('the logout operation failed')).length;
    await world.clock.advance(4 * SECOND);
    expect(disk.writes).toBeGreaterThan(2);
    expect(lines()).toBe(1);
    await world.clock.advance(MINUTE);
    await logout;
    expect(unlinks()).toBe(1);
    expect(disk.writes).toBeLessThan(20);
    expect(lines()).toBeLessThan(12);

    disk.isFull = false;
    await world.clock.advance(11 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'logged_out' });
    expect(unlinks()).toBe(1);
  });
});
