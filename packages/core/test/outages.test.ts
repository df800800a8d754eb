import { describe, expect, it } from 'vitest';
import type { Notification, Notifier } from '../src/index.ts';
import { killable } from './support/killable.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';
import {
  after,
  connected,
  connectInstance,
  HOUR,
  jumpAhead,
  MINUTE,
  only,
  SECOND,
  startHarness,
} from './support/harness.ts';

async function watched(options: Parameters<typeof connected>[0] = {}) {
  const gateway = scriptedGateway();
  const { harness, id } = await connected({ ...options, gateway });
  return {
    gateway,
    harness,
    id,
    clock: harness.clock,
    kinds: () => harness.emails.map(({ kind }) => kind),
    async goDown() {
      gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
      await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    },
    async comeBack() {
      gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
      await harness.clock.advance(2 * MINUTE);
    },
  };
}

describe('a number that is down for 15 minutes', () => {
  it('is notified of once, and once more when it is back', async () => {
    const { harness, id, clock, kinds, goDown, comeBack, gateway } = await watched();
    const downSince = clock.now();
    await goDown();
    await clock.advance(15 * MINUTE - SECOND);
    expect(kinds()).toEqual([]);
    await clock.advance(MINUTE);
    expect(kinds()).toEqual(['instance_down']);
    expect(harness.emails[0]).toMatchObject({
      workspace: { id: harness.workspaceId, name: 'Acme' },
      instance: {
        id,
        name: expect.any(String),
        phoneNumber: PROFILE.phoneNumber,
        status: 'disconnected',
        lastError: 'network_down',
        downSince,
        upSince: null,
        next: { kind: 'reconnect' },
      },
    });
    await jumpAhead(harness, 5 * HOUR);
    expect(kinds()).toEqual(['instance_down']);
    await comeBack();
    expect(kinds()).toEqual(['instance_down', 'instance_up']);
    expect(harness.emails[1]).toMatchObject({
      instance: { id, status: 'connected', downSince, upSince: expect.any(Number), next: null },
    });
    await goDown();
    await clock.advance(17 * MINUTE);
    expect(kinds()).toEqual(['instance_down', 'instance_up', 'instance_down']);
    expect(gateway.connections.length).toBeGreaterThan(20);
    const { data } = await harness.trunkline.admin.instances.history(harness.workspaceId, id, { limit: 100 });
    expect(data.filter(({ reason }) => reason === 'down_reported')).toHaveLength(2);
  });

  it('is not reported if it is back before', async () => {
    const { harness, clock, kinds, goDown, comeBack } = await watched();
    await goDown();
    await clock.advance(12 * MINUTE);
    await comeBack();
    await jumpAhead(harness, HOUR);
    expect(kinds()).toEqual([]);
  });

  it.each([
    ['unlinked on the phone', { kind: 'unlinked' }, 'logged_out', { kind: 'pair', at: null }],
    ['banned for good', { kind: 'failed', code: 'account_banned' }, 'error', { kind: 'connect', at: null }],
  ] as const)('is reported when it was %s', async (_, reason, status, next) => {
    const { gateway, clock, harness, kinds } = await watched();
    await gateway.last().listener.closed(reason);
    await clock.advance(16 * MINUTE);
    expect(kinds()).toEqual(['instance_down']);
    expect(harness.emails[0]).toMatchObject({ instance: { status, next } });
  });

  it('is reported when the network restricts it, with the end of that', async () => {
    const { gateway, clock, harness, kinds } = await watched();
    const until = clock.now() + 2 * HOUR;
    await gateway.last().listener.closed({ kind: 'failed', code: 'account_temporarily_banned', until });
    await clock.advance(16 * MINUTE);
    expect(harness.emails).toMatchObject([
      { kind: 'instance_down', instance: { next: { kind: 'wait_for_restriction', at: until } } },
    ]);
    await jumpAhead(harness, 2 * HOUR);
    expect(kinds()).toEqual(['instance_down', 'instance_up']);
  });

  it('is back when it is linked again after it was unlinked', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await harness.sandbox.phone(id).unlink();
    await harness.clock.advance(16 * MINUTE);
    await harness.api.instances.connect(id);
    await harness.clock.advance(SECOND);
    await harness.sandbox.phone(id).scan();
    await harness.clock.advance(MINUTE);
    expect(harness.emails.map(({ kind }) => kind)).toEqual(['instance_down', 'instance_up']);
  });

  it.each(['disconnect', 'logout', 'delete'] as const)(
    'is not reported after a %s over the API',
    async (what) => {
      const { harness, id, clock, kinds } = await watched();
      await after<unknown>(harness, SECOND, harness.api.instances[what](id));
      await clock.advance(HOUR);
      expect(kinds()).toEqual([]);
    },
  );

  it('is not reported once it is disconnected on request, whatever ended it before', async () => {
    for (const reason of [{ kind: 'dropped', detail: 'connection_lost' }, { kind: 'unlinked' }] as const) {
      const { gateway, harness, id, clock, kinds } = await watched();
      gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
      await gateway.last().listener.closed(reason);
      await clock.advance(5 * MINUTE);
      await after(harness, SECOND, harness.api.instances.disconnect(id));
      await clock.advance(HOUR);
      expect(kinds(), reason.kind).toEqual([]);
    }
  });

  it('is not reported if it was never linked', async () => {
    const harness = await startHarness();
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(HOUR);
    expect(harness.emails).toEqual([]);
  });
});

describe('the notification that a number is down', () => {
  it('comes after another time, or never, as the operator has set', async () => {
    const soon = await watched({ instanceDownAfterMs: 2 * MINUTE });
    await soon.goDown();
    await soon.clock.advance(3 * MINUTE);
    expect(soon.kinds()).toEqual(['instance_down']);

    const never = await watched({ instanceDownAfterMs: 0 });
    await never.goDown();
    await never.clock.advance(3 * HOUR);
    await never.comeBack();
    expect(never.kinds()).toEqual([]);
  });

  it('comes once, however many processes look for it', async () => {
    const sent: string[] = [];
    const notifier: Notifier = {
      async notify({ id, kind }) {
        sent.push(`${kind} ${id}`);
      },
    };
    const gateway = scriptedGateway();
    const { harness } = await connected({ gateway, notifier });
    for (let i = 0; i < 3; i++) await harness.another({ gateway, notifier, roles: only('maintenance') });
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(20 * MINUTE);
    expect(sent).toEqual([expect.stringMatching(/^instance_down ntc_/)]);
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await harness.clock.advance(3 * MINUTE);
    expect(sent.slice(1)).toEqual([expect.stringMatching(/^instance_up ntc_/)]);
  });

  it('is owed until the notifier has accepted it, also by the process after one that was killed', async () => {
    const gateway = scriptedGateway();
    const tried: Notification[] = [];
    const harness = await startHarness({ gateway, roles: only('api', 'gateway') });
    const dying = killable(harness.storage);
    const refusing: Notifier = {
      async notify(notification) {
        tried.push(notification);
        dying.kill();
        throw new Error('SMTP 421');
      },
    };
    await harness.another({
      storage: dying.storage,
      gateway,
      notifier: refusing,
      roles: only('maintenance'),
    });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(20 * MINUTE);
    expect(tried).toHaveLength(1);
    expect(harness.emails).toEqual([]);

    await harness.another({ gateway, roles: only('maintenance') });
    await harness.clock.advance(6 * MINUTE);
    // The same id, so that a mail server that has already accepted the email recognises the repeat.
    expect(harness.emails.map(({ id: notificationId }) => notificationId)).toEqual(
      tried.map((one) => one.id),
    );
  });

  it('restarts its wait if the clock is set back, and still comes', async () => {
    const { harness, clock, goDown, kinds } = await watched();
    await goDown();
    await clock.advance(5 * MINUTE);
    clock.jump(-24 * HOUR);
    await jumpAhead(harness, MINUTE);
    expect(kinds()).toEqual([]);
    await clock.advance(18 * MINUTE);
    expect(kinds()).toEqual(['instance_down']);
  });

  it('reads nothing of the numbers that are not down', async () => {
    const { harness, clock, goDown } = await watched();
    const looks: number[] = [];
    const { listDown } = harness.storage.instances;
    harness.storage.instances.listDown = async (query) => {
      const found = await listDown.call(harness.storage.instances, query);
      looks.push(found.length);
      return found;
    };
    for (let i = 0; i < 5; i++) {
      const { id: other } = await harness.api.instances.create();
      await harness.api.instances.connect(other);
    }
    await clock.advance(5 * MINUTE);
    await goDown();
    await clock.advance(30 * MINUTE);
    expect(looks.filter((count) => count > 0)).toEqual([1]);
    expect(harness.emails).toMatchObject([{ instance: { status: 'disconnected' } }]);
  });
});
