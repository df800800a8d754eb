import { describe, expect, it, vi } from 'vitest';
import { createTrunkline } from '../src/index.ts';
import type { WebhookResponse, WebhookSender } from '../src/spi/runtime.ts';
import { nodeDnsResolver, undiciWebhookSender } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { memoryStorage, testRuntime } from '../src/testing/index.ts';
import { WAITS } from './support/events.ts';
import { MINUTE, SECRET_KEY, connectInstance, jumpAhead, listen, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const url = 'https://hooks.example.com/in?token=hush';
const logged = ({ logs }: World, level: string, text: string): World['logs'] =>
  logs.filter((line) => line.level === level && line.message.includes(text));

/** A world whose receiver cannot be reached for these causes, one after the other, and then answers 204. */
async function worldWith(...causes: readonly unknown[]): Promise<World> {
  const left = [...causes];
  const ok: WebhookResponse = { errorCode: null, responseStatus: 204, responseBody: '' };
  return startWorld({
    webhookSender: {
      async send(_request, onFailure) {
        if (left.length === 0) return ok;
        onFailure?.(left.shift());
        return refused;
      },
      close: async () => {},
    },
  });
}

const refused: WebhookResponse = {
  errorCode: 'CONNECTION_FAILED',
  responseStatus: null,
  responseBody: null,
};

describe('a failing webhook', () => {
  it('is logged once, with its cause and what to do, and once when it has recovered', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' });
    const world = await worldWith(cause, cause, cause);
    const { id } = await world.api.webhooks.create({ url, events: ['message.read'] });
    const delivery = await world.api.webhooks.test(id);
    await world.clock.advance(40 * MINUTE);
    expect(logged(world, 'warn', 'a webhook attempt failed')).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/look at its receiver/),
        facts: {
          webhookId: id,
          workspaceId: world.workspaceId,
          host: 'hooks.example.com',
          deliveryId: delivery.id,
          errorCode: 'CONNECTION_FAILED',
          responseStatus: null,
          attempts: 1,
          nextRetryAt: expect.stringMatching(/Z$/),
          err: cause,
        },
      },
    ]);
    expect(logged(world, 'info', 'accepts deliveries again')).toHaveLength(1);
    expect(logged(world, 'debug', 'a webhook attempt failed')).toHaveLength(2);
  });

  it('shows the customer its code alone, not where it went', async () => {
    const world = await worldWith(new Error('connect ECONNREFUSED 10.0.0.7:443'));
    const { id } = await listen(world);
    const { id: deliveryId } = await world.api.webhooks.test(id);
    await world.clock.settle();
    expect(JSON.stringify(await world.api.deliveries.get(deliveryId))).not.toContain('10.0.0.7');
  });

  it('is logged without the path of its URL, which may hold a token', async () => {
    const world = await worldWith(new Error('no'));
    const { id } = await world.api.webhooks.create({ url, events: ['message.read'] });
    await world.api.webhooks.test(id);
    await world.clock.settle();
    expect(JSON.stringify(world.logs)).not.toContain('hush');
  });

  it('has a cause that names what the socket said', async () => {
    const sender = undiciWebhookSender({ dns: nodeDnsResolver() });
    // The discard port of this machine: nobody listens there.
    const causes: unknown[] = [];
    const request = { url: 'http://127.0.0.1:9/', headers: [], body: '{}', urlPolicy: 'local' } as const;
    const response = await sender.send(request, (cause) => causes.push(cause));
    await sender.close();
    expect(response).toEqual(refused);
    expect(causes).toMatchObject([{ cause: { code: 'ECONNREFUSED' } }]);
  });
});

describe('a handler that throws', () => {
  it('is logged as an error at first and at last, with its event and when it is called again', async () => {
    const world = await startWorld({
      prepare: (trunkline) =>
        trunkline.on(
          'instance.qr_required',
          () => {
            throw new Error('no');
          },
          { name: 'broken' },
        ),
    });
    const { id } = await world.api.instances.create();
    await world.api.instances.connect(id);
    await world.clock.advance(2 * MINUTE);
    const errors = logged(world, 'error', 'a handler of events failed');
    expect(errors).toEqual([
      {
        level: 'error',
        message: 'a handler of events failed, and is called again later',
        facts: {
          subscription: 'broken',
          eventId: expect.stringMatching(/^evt_/),
          attempt: 1,
          err: new Error('no'),
          nextAttemptAt: expect.stringMatching(/Z$/),
        },
      },
    ]);
    for (const wait of WAITS.slice(1)) await jumpAhead(world, wait);
    expect(logged(world, 'error', 'retryExhausted()')).toHaveLength(1);
    expect(logged(world, 'error', 'a handler of events failed')).toHaveLength(2);
  });
});

describe('without a logger', () => {
  it('warnings and errors go to the console, and nothing else does', async () => {
    const spies = (['debug', 'info', 'log', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    );
    const runtime = testRuntime();
    const webhookSender: WebhookSender = {
      async send(_request, onFailure) {
        onFailure?.(new Error('no'));
        return refused;
      },
      close: async () => {},
    };
    const { gateway } = createSandbox();
    const storage = memoryStorage();
    const trunkline = createTrunkline({ ...runtime, webhookSender, gateway, storage, secretKey: SECRET_KEY });
    await trunkline.start();
    const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
    const { webhooks } = trunkline.workspace(id);
    await webhooks.test((await webhooks.create({ url, events: ['message.read'] })).id);
    await runtime.clock.settle();
    await trunkline.stop();
    const [, , , warn] = spies;
    expect(warn?.mock.calls).toEqual([
      [
        expect.stringMatching(/^trunkline: a webhook attempt failed/),
        expect.objectContaining({ err: new Error('no') }),
      ],
    ]);
    expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0, 1, 0]);
    vi.restoreAllMocks();
  });
});

describe('a Trunkline that does not run', () => {
  it('says so, whatever is asked of it', async () => {
    const runtime = testRuntime();
    const { gateway } = createSandbox();
    const storage = memoryStorage();
    const trunkline = createTrunkline({ ...runtime, gateway, storage, secretKey: SECRET_KEY });
    const calls = (): readonly (() => Promise<unknown>)[] => [
      () => trunkline.admin.workspaces.create({ name: 'Acme' }),
      () => trunkline.admin.subscriptions.list(),
      () => trunkline.workspace('ten_1').instances.list(),
      () => trunkline.workspace('ten_1').messages.list(),
      () => trunkline.authenticate('Bearer x'),
    ];
    for (const call of calls()) {
      await expect(call()).rejects.toThrow('This Trunkline is not started: await trunkline.start() first.');
    }
    await trunkline.start();
    expect(await trunkline.admin.subscriptions.list()).toEqual([]);
    await trunkline.stop();
    for (const call of calls()) await expect(call()).rejects.toThrow('This Trunkline is stopped');
  });

  it('still sends what its handlers reply while they end', async () => {
    const sent: unknown[] = [];
    const world = await startWorld({
      prepare: (trunkline) =>
        trunkline.on(
          'instance.connected',
          async (_event, { workspaceId, signal }) => {
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            sent.push(await trunkline.workspace(workspaceId).instances.list());
          },
          { name: 'slow' },
        ),
    });
    await connectInstance(world);
    await world.trunkline.stop();
    expect(sent).toHaveLength(1);
  });
});
