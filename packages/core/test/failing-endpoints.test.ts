import { describe, expect, it } from 'vitest';
import type { Notification } from '../src/index.ts';
import type { WebhookResponse } from '../src/spi/runtime.ts';
import { REFUSED, TAKEN } from '../src/testing/index.ts';
import { HOUR, MINUTE, SECOND, only, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const HOOK = { url: 'https://hooks.example.com/', events: ['message.sent'] } as const;
const UNSAFE: WebhookResponse = { errorCode: 'UNSAFE_URL', responseStatus: null, responseBody: null };

/** An endpoint whose first delivery has just failed, and whose later deliveries fail, too. */
async function failing(
  options: Parameters<typeof startHarness>[0] = {},
  response: WebhookResponse = REFUSED,
) {
  const harness = await startHarness({ roles: only('api', 'webhooks', 'maintenance'), ...options });
  const { members } = harness.trunkline.admin;
  const { workspaceId } = harness;
  const administrator = { workspaceId, administersWebhooks: true, emailVerified: true };
  await members.create({ ...administrator, email: 'ada@example.com' });
  await members.create({ ...administrator, email: 'grace@example.com' });
  await members.create({ ...administrator, email: 'ada@example.com' });
  await members.create({ ...administrator, email: 'unverified@example.com', emailVerified: false });
  await members.create({ workspaceId, email: 'visitor@example.com', emailVerified: true });
  const { id } = await harness.api.webhooks.create(HOOK);
  harness.sender.respond(() => response);
  await harness.api.webhooks.test(id);
  await harness.clock.settle();
  return { harness, id, start: harness.clock.now() };
}

/** Advances to `time`: in leaps of half an hour while `time` is more than an hour away, then step by step. */
async function goTo({ clock }: Harness, time: number): Promise<void> {
  while (time - clock.now() > HOUR) {
    clock.jump(HOUR / 2);
    await clock.advance(5_000);
  }
  await clock.advance(time - clock.now());
}

async function goToDisabled(harness: Harness, start: number): Promise<void> {
  await goTo(harness, start + 48 * HOUR + 2 * MINUTE);
  await goTo(harness, start + 72 * HOUR + 4 * MINUTE);
}

const kinds = (emails: readonly Notification[]): readonly string[] => emails.map(({ kind }) => kind);

describe('an endpoint that keeps failing', () => {
  it('is warned about after 48 h and disabled after 72 h, with one email each', async () => {
    const { harness, id, start } = await failing();
    await goTo(harness, start + 48 * HOUR - 1);
    expect(harness.emails).toEqual([]);
    await goTo(harness, start + 48 * HOUR + 2 * MINUTE);
    expect(harness.emails).toEqual([
      {
        id: expect.stringMatching(/^ntc_/),
        kind: 'webhook_failing',
        recipients: ['ada@example.com', 'grace@example.com'],
        workspace: { id: harness.workspaceId, name: 'Acme' },
        webhook: { id, url: HOOK.url, failingSince: start },
      },
    ]);
    expect(await harness.api.webhooks.get(id)).toMatchObject({ status: 'enabled', disabled_reason: null });

    await goTo(harness, start + 72 * HOUR - 1);
    expect(await harness.api.webhooks.get(id)).toMatchObject({ status: 'enabled' });
    await goTo(harness, start + 72 * HOUR + 4 * MINUTE);
    expect(await harness.api.webhooks.get(id)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'auto_no_delivery_72h',
    });
    expect(kinds(harness.emails)).toEqual(['webhook_failing', 'webhook_disabled']);
    await goTo(harness, start + 100 * HOUR);
    expect(harness.emails).toHaveLength(2);
  });

  it('says since when, and the earliest time at which it is disabled, until it delivers or is enabled', async () => {
    const { harness, id, start } = await failing();
    const webhook = () => harness.api.webhooks.get(id);
    const failing_since = new Date(start).toISOString().replace('Z', '+00:00');
    const auto_disable_at = new Date(start + 72 * HOUR).toISOString().replace('Z', '+00:00');
    expect(await webhook()).toMatchObject({ failing_since, auto_disable_at });
    expect(await harness.api.webhooks.list()).toMatchObject({ data: [{ failing_since, auto_disable_at }] });
    await goToDisabled(harness, start);
    expect(await webhook()).toMatchObject({ failing_since, auto_disable_at: null });
    const well = { failing_since: null, auto_disable_at: null };
    expect(await harness.api.webhooks.update(id, { status: 'enabled' })).toMatchObject(well);

    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    expect(await webhook()).toMatchObject({ failing_since: expect.any(String) });
    harness.sender.respond(() => TAKEN);
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    expect(await webhook()).toMatchObject(well);
  });

  it('has its open deliveries failed when it is disabled', async () => {
    const { harness, id, start } = await failing();
    await goTo(harness, start + 47 * HOUR);
    const { id: open } = await harness.api.webhooks.test(id);
    await goToDisabled(harness, start);
    expect(await harness.api.deliveries.get(open)).toMatchObject({
      status: 'failed',
      error_code: 'ENDPOINT_DISABLED',
    });
  });

  it('is healthy once a delivery succeeds, and its failures are counted from zero', async () => {
    const { harness, id, start } = await failing();
    await goTo(harness, start + 50 * HOUR);
    expect(kinds(harness.emails)).toEqual(['webhook_failing']);
    harness.sender.respond(() => TAKEN);
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    harness.sender.respond(() => REFUSED);
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    const again = harness.clock.now();

    await goTo(harness, again + 47 * HOUR);
    expect(kinds(harness.emails)).toEqual(['webhook_failing']);
    await goTo(harness, again + 48 * HOUR + 2 * MINUTE);
    expect(kinds(harness.emails)).toEqual(['webhook_failing', 'webhook_failing']);
    expect(await harness.api.webhooks.get(id)).toMatchObject({ status: 'enabled' });
  });

  it('is warned about and disabled because of an unsafe URL too, although no delivery is exhausted', async () => {
    const { harness, id, start } = await failing({}, UNSAFE);
    await goTo(harness, start + 48 * HOUR - 1);
    expect(harness.emails).toEqual([]);
    await goTo(harness, start + 48 * HOUR + 2 * MINUTE);
    expect(kinds(harness.emails)).toEqual(['webhook_failing']);
    await goTo(harness, start + 72 * HOUR + 4 * MINUTE);
    expect(kinds(harness.emails)).toEqual(['webhook_failing', 'webhook_disabled']);
    expect(await harness.api.webhooks.get(id)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'auto_no_delivery_72h',
    });
  });

  it('starts with a clean record when it is enabled again', async () => {
    const { harness, id, start } = await failing();
    await goToDisabled(harness, start);
    await harness.api.webhooks.update(id, { status: 'enabled' });
    await goTo(harness, start + 150 * HOUR);
    expect(await harness.api.webhooks.get(id)).toMatchObject({ status: 'enabled', disabled_at: null });
    expect(harness.emails).toHaveLength(2);
  });

  it('warned about late is disabled 24 h after the warning', async () => {
    const { harness, id, start } = await failing({ roles: only('api', 'webhooks') });
    await goTo(harness, start + 60 * HOUR);
    expect(harness.emails).toEqual([]);
    await harness.another({ roles: only('maintenance') });
    await harness.clock.settle();
    expect(kinds(harness.emails)).toEqual(['webhook_failing']);
    await goTo(harness, start + 84 * HOUR - 1);
    expect(await harness.api.webhooks.get(id)).toMatchObject({ status: 'enabled' });
    await goTo(harness, start + 84 * HOUR + 2 * MINUTE);
    expect(await harness.api.webhooks.get(id)).toMatchObject({ status: 'disabled' });
  });
});

describe('an email', () => {
  it('is sent again under the same id until it is accepted', async () => {
    const tries: Notification[] = [];
    const notifier = {
      async notify(email: Notification) {
        tries.push(email);
        if (tries.length < 3) throw new Error('SMTP 451');
      },
    };
    const { harness, start } = await failing({ notifier });
    await goTo(harness, start + 49 * HOUR);
    expect(tries).toHaveLength(3);
    expect(new Set(tries.map(({ id }) => id)).size).toBe(1);
    await goTo(harness, start + 60 * HOUR);
    expect(tries).toHaveLength(3);
  });

  it('is given up after a minute if it hangs, and sent again later', async () => {
    let tries = 0;
    const notifier = { notify: () => ((tries += 1) === 1 ? new Promise<void>(() => {}) : Promise.resolve()) };
    const { harness, start } = await failing({ notifier });
    await goTo(harness, start + 48 * HOUR + MINUTE);
    expect(tries).toBe(1);
    await goTo(harness, start + 48 * HOUR + 10 * MINUTE);
    expect(tries).toBe(2);
  });

  it('is sent once by several processes', async () => {
    const { harness, start } = await failing();
    await harness.another({ roles: only('maintenance') });
    await harness.another({ roles: only('maintenance') });
    await goTo(harness, start + 73 * HOUR);
    expect(kinds(harness.emails)).toEqual(['webhook_failing', 'webhook_disabled']);
  });

  it('is sent once by several processes, however slow the others before it are', async () => {
    const sent: string[] = [];
    const notifier = {
      async notify({ id }: Notification) {
        sent.push(id);
        await new Promise<void>((resolve) => harness.clock.setTimer(50 * SECOND, resolve));
      },
    };
    const { harness, start } = await failing({ notifier });
    await harness.trunkline.admin.workspaces.setPlan(harness.workspaceId, { webhookLimit: 10 });
    for (let i = 0; i < 9; i++) await harness.api.webhooks.test((await harness.api.webhooks.create(HOOK)).id);
    await harness.another({ roles: only('maintenance'), notifier });
    await goTo(harness, start + 48 * HOUR);
    await harness.clock.advance(15 * MINUTE);
    expect(sent).toHaveLength(10);
    expect(new Set(sent).size).toBe(10);
  });

  it('does not hold up others if it fails', async () => {
    const sent: string[] = [];
    const notifier = {
      async notify(notification: Notification) {
        if (!('webhook' in notification)) throw new Error('about no webhook');
        const { webhook } = notification;
        if (webhook.url === HOOK.url) throw new Error('SMTP 550');
        sent.push(webhook.url);
      },
    };
    const { harness, start } = await failing({ notifier });
    const second = await harness.api.webhooks.create({ ...HOOK, url: 'https://second.example/' });
    await harness.api.webhooks.test(second.id);
    await goTo(harness, start + 48 * HOUR);
    await harness.clock.advance(5 * MINUTE);
    expect(sent).toEqual(['https://second.example/']);
  });

  it('becomes a log line if there is no notifier', async () => {
    const { harness, start } = await failing({ notifier: undefined });
    await goTo(harness, start + 49 * HOUR);
    expect(harness.emails).toEqual([]);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('a webhook endpoint keeps failing'),
      }),
    );
  });
});
