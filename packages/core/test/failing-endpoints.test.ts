import { describe, expect, it } from 'vitest';
import type { Notification } from '../src/index.ts';
import type { WebhookResponse } from '../src/spi/runtime.ts';
import { REFUSED, TAKEN } from '../src/testing/index.ts';
import { HOUR, MINUTE, SECOND, only, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const HOOK = { url: 'https://hooks.example.com/', events: ['message.sent'] } as const;
const UNSAFE: WebhookResponse = { errorCode: 'UNSAFE_URL', responseStatus: null, responseBody: null };

/** An endpoint whose first delivery failed just now, and will not be taken. */
async function failing(options: Parameters<typeof startWorld>[0] = {}, answer: WebhookResponse = REFUSED) {
  const world = await startWorld({ roles: only('api', 'webhooks', 'maintenance'), ...options });
  const { members } = world.trunkline.admin;
  const { workspaceId } = world;
  const administrator = { workspaceId, administersWebhooks: true, emailVerified: true };
  await members.create({ ...administrator, email: 'ada@example.com' });
  await members.create({ ...administrator, email: 'grace@example.com' });
  await members.create({ ...administrator, email: 'ada@example.com' });
  await members.create({ ...administrator, email: 'unverified@example.com', emailVerified: false });
  await members.create({ workspaceId, email: 'visitor@example.com', emailVerified: true });
  const { id } = await world.api.webhooks.create(HOOK);
  world.sender.answer(() => answer);
  await world.api.webhooks.test(id);
  await world.clock.settle();
  return { world, id, start: world.clock.now() };
}

/** Moves to this long after the start: in leaps between the retries, and slowly about the time itself. */
async function goTo({ clock }: World, time: number): Promise<void> {
  while (time - clock.now() > HOUR) {
    clock.jump(HOUR / 2);
    await clock.advance(5_000);
  }
  await clock.advance(time - clock.now());
}

/** Through the warning, on time, to the disabling. */
async function goToDisabled(world: World, start: number): Promise<void> {
  await goTo(world, start + 48 * HOUR + 2 * MINUTE);
  await goTo(world, start + 72 * HOUR + 4 * MINUTE);
}

const kinds = (mails: readonly Notification[]): readonly string[] => mails.map(({ kind }) => kind);

describe('an endpoint that keeps failing', () => {
  it('is warned about after 48 h and disabled after 72 h, with one mail each', async () => {
    const { world, id, start } = await failing();
    await goTo(world, start + 48 * HOUR - 1);
    expect(world.mails).toEqual([]);
    await goTo(world, start + 48 * HOUR + 2 * MINUTE);
    expect(world.mails).toEqual([
      {
        id: expect.stringMatching(/^ntc_/),
        kind: 'webhook_failing',
        recipients: ['ada@example.com', 'grace@example.com'],
        workspace: { id: world.workspaceId, name: 'Acme' },
        webhook: { id, url: HOOK.url, failingSince: start },
      },
    ]);
    expect(await world.api.webhooks.get(id)).toMatchObject({ status: 'enabled', disabled_reason: null });

    await goTo(world, start + 72 * HOUR - 1);
    expect(await world.api.webhooks.get(id)).toMatchObject({ status: 'enabled' });
    await goTo(world, start + 72 * HOUR + 4 * MINUTE);
    expect(await world.api.webhooks.get(id)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'auto_no_delivery_72h',
    });
    expect(kinds(world.mails)).toEqual(['webhook_failing', 'webhook_disabled']);
    await goTo(world, start + 100 * HOUR);
    expect(world.mails).toHaveLength(2);
  });

  it('has its open deliveries failed when it is disabled', async () => {
    const { world, id, start } = await failing();
    await goTo(world, start + 47 * HOUR);
    const { id: open } = await world.api.webhooks.test(id);
    await goToDisabled(world, start);
    expect(await world.api.deliveries.get(open)).toMatchObject({
      status: 'failed',
      error_code: 'ENDPOINT_DISABLED',
    });
  });

  it('is left alone once a delivery succeeds, and its failures are counted anew', async () => {
    const { world, id, start } = await failing();
    await goTo(world, start + 50 * HOUR);
    expect(kinds(world.mails)).toEqual(['webhook_failing']);
    world.sender.answer(() => TAKEN);
    await world.api.webhooks.test(id);
    await world.clock.settle();
    world.sender.answer(() => REFUSED);
    await world.api.webhooks.test(id);
    await world.clock.settle();
    const again = world.clock.now();

    await goTo(world, again + 47 * HOUR);
    expect(kinds(world.mails)).toEqual(['webhook_failing']);
    await goTo(world, again + 48 * HOUR + 2 * MINUTE);
    expect(kinds(world.mails)).toEqual(['webhook_failing', 'webhook_failing']);
    expect(await world.api.webhooks.get(id)).toMatchObject({ status: 'enabled' });
  });

  it('is warned about and disabled because of an unsafe URL too, of which no delivery is ever exhausted', async () => {
    const { world, id, start } = await failing({}, UNSAFE);
    await goTo(world, start + 48 * HOUR - 1);
    expect(world.mails).toEqual([]);
    await goTo(world, start + 48 * HOUR + 2 * MINUTE);
    expect(kinds(world.mails)).toEqual(['webhook_failing']);
    await goTo(world, start + 72 * HOUR + 4 * MINUTE);
    expect(kinds(world.mails)).toEqual(['webhook_failing', 'webhook_disabled']);
    expect(await world.api.webhooks.get(id)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'auto_no_delivery_72h',
    });
  });

  it('is forgiven when somebody enables it again', async () => {
    const { world, id, start } = await failing();
    await goToDisabled(world, start);
    await world.api.webhooks.update(id, { status: 'enabled' });
    await goTo(world, start + 150 * HOUR);
    expect(await world.api.webhooks.get(id)).toMatchObject({ status: 'enabled', disabled_at: null });
    expect(world.mails).toHaveLength(2);
  });

  it('warned about late is disabled 24 h after the warning', async () => {
    const { world, id, start } = await failing({ roles: only('api', 'webhooks') });
    await goTo(world, start + 60 * HOUR);
    expect(world.mails).toEqual([]);
    await world.another({ roles: only('maintenance') });
    await world.clock.settle();
    expect(kinds(world.mails)).toEqual(['webhook_failing']);
    await goTo(world, start + 84 * HOUR - 1);
    expect(await world.api.webhooks.get(id)).toMatchObject({ status: 'enabled' });
    await goTo(world, start + 84 * HOUR + 2 * MINUTE);
    expect(await world.api.webhooks.get(id)).toMatchObject({ status: 'disabled' });
  });
});

describe('a mail', () => {
  it('that is not taken over is sent again, under the same id, until it is', async () => {
    const tries: Notification[] = [];
    const notifier = {
      async notify(mail: Notification) {
        tries.push(mail);
        if (tries.length < 3) throw new Error('SMTP 451');
      },
    };
    const { world, start } = await failing({ notifier });
    await goTo(world, start + 49 * HOUR);
    expect(tries).toHaveLength(3);
    expect(new Set(tries.map(({ id }) => id)).size).toBe(1);
    await goTo(world, start + 60 * HOUR);
    expect(tries).toHaveLength(3);
  });

  it('that takes for ever is given up after a minute, and sent again later', async () => {
    let tries = 0;
    const notifier = { notify: () => ((tries += 1) === 1 ? new Promise<void>(() => {}) : Promise.resolve()) };
    const { world, start } = await failing({ notifier });
    await goTo(world, start + 48 * HOUR + MINUTE);
    expect(tries).toBe(1);
    await goTo(world, start + 48 * HOUR + 10 * MINUTE);
    expect(tries).toBe(2);
  });

  it('is sent once by several processes', async () => {
    const { world, start } = await failing();
    await world.another({ roles: only('maintenance') });
    await world.another({ roles: only('maintenance') });
    await goTo(world, start + 73 * HOUR);
    expect(kinds(world.mails)).toEqual(['webhook_failing', 'webhook_disabled']);
  });

  it('is sent once by several processes, however slow the others before it are', async () => {
    const sent: string[] = [];
    const notifier = {
      async notify({ id }: Notification) {
        sent.push(id);
        await new Promise<void>((resolve) => world.clock.setTimer(50 * SECOND, resolve));
      },
    };
    const { world, start } = await failing({ notifier });
    await world.trunkline.admin.workspaces.setPlan(world.workspaceId, { webhookLimit: 10 });
    for (let i = 0; i < 9; i++) await world.api.webhooks.test((await world.api.webhooks.create(HOOK)).id);
    await world.another({ roles: only('maintenance'), notifier });
    await goTo(world, start + 48 * HOUR);
    await world.clock.advance(15 * MINUTE);
    expect(sent).toHaveLength(10);
    expect(new Set(sent).size).toBe(10);
  });

  it('that fails holds up no other', async () => {
    const sent: string[] = [];
    const notifier = {
      async notify({ webhook }: Notification) {
        if (webhook.url === HOOK.url) throw new Error('SMTP 550');
        sent.push(webhook.url);
      },
    };
    const { world, start } = await failing({ notifier });
    const second = await world.api.webhooks.create({ ...HOOK, url: 'https://second.example/' });
    await world.api.webhooks.test(second.id);
    await goTo(world, start + 48 * HOUR);
    await world.clock.advance(5 * MINUTE);
    expect(sent).toEqual(['https://second.example/']);
  });

  it('is said in the log where there is no notifier', async () => {
    const { world, start } = await failing({ notifier: undefined });
    await goTo(world, start + 49 * HOUR);
    expect(world.mails).toEqual([]);
    expect(world.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'a webhook endpoint keeps failing' }),
    );
  });
});
