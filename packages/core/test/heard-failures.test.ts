import { describe, expect, it, vi } from 'vitest';
import { createTrunkline } from '../src/index.ts';
import type { WebhookResponse, WebhookSender } from '../src/spi/runtime.ts';
import { nodeDnsResolver, undiciWebhookSender } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { testRuntime } from '../src/testing/index.ts';
import { WAITS } from './support/events.ts';
import { MINUTE, SECRET_KEY, connectInstance, jumpAhead, listen, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const url = 'https://hooks.example.com/in?token=hush';
const logged = ({ logs }: Harness, level: string, text: string): Harness['logs'] =>
  logs.filter((line) => line.level === level && line.message.includes(text));

async function harnessWith(...causes: readonly unknown[]): Promise<Harness> {
  const left = [...causes];
  const ok: WebhookResponse = { errorCode: null, responseStatus: 204, responseBody: '' };
  return startHarness({
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
    const harness = await harnessWith(cause, cause, cause);
    const { id } = await harness.api.webhooks.create({ url, events: ['message.read'] });
    const delivery = await harness.api.webhooks.test(id);
    await harness.clock.advance(40 * MINUTE);
    expect(logged(harness, 'warn', 'a webhook attempt failed')).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/look at its receiver/),
        facts: {
          webhookId: id,
          workspaceId: harness.workspaceId,
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
    expect(logged(harness, 'info', 'accepts deliveries again')).toHaveLength(1);
    expect(logged(harness, 'debug', 'a webhook attempt failed')).toHaveLength(2);
  });

  it('is logged with the reason why no attempt was made, if its processes keep ending', async () => {
    const harness = await startHarness();
    const { deliveries } = harness.storage;
    const claim = deliveries.claim.bind(deliveries);
    vi.spyOn(deliveries, 'claim').mockImplementation(async (request) => {
      const result = await claim(request);
      return { ...result, claimed: result.claimed.map((claimed) => ({ ...claimed, lostClaims: 5 })) };
    });
    const { id } = await listen(harness);
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    expect(harness.sender.requests).toEqual([]);
    expect(logged(harness, 'warn', 'a webhook attempt failed')).toMatchObject([
      {
        facts: {
          webhookId: id,
          errorCode: 'TIMEOUT',
          err: {
            message: expect.stringMatching(/was not made .+: look for what ends them, or for a database/),
          },
        },
      },
    ]);
  });

  it('shows the customer only its code, not the address', async () => {
    const harness = await harnessWith(new Error('connect ECONNREFUSED 10.0.0.7:443'));
    const { id } = await listen(harness);
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    expect(JSON.stringify(await harness.api.deliveries.get(deliveryId))).not.toContain('10.0.0.7');
  });

  it('is logged without the path of its URL, which may hold a token', async () => {
    const harness = await harnessWith(new Error('no'));
    const { id } = await harness.api.webhooks.create({ url, events: ['message.read'] });
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    expect(JSON.stringify(harness.logs)).not.toContain('hush');
  });

  it('has a cause that names what the socket said', async () => {
    const sender = undiciWebhookSender({ dns: nodeDnsResolver() });
    // Port 9, the discard port, has no listener on this machine.
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
    const harness = await startHarness({
      prepare: (trunkline) =>
        trunkline.on(
          'instance.qr_required',
          () => {
            throw new Error('no');
          },
          { name: 'broken' },
        ),
    });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(2 * MINUTE);
    const errors = logged(harness, 'error', 'a handler of events failed');
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
    for (const wait of WAITS.slice(1)) await jumpAhead(harness, wait);
    expect(logged(harness, 'error', 'retryFailedEvents()')).toHaveLength(1);
    expect(logged(harness, 'error', 'a handler of events failed')).toHaveLength(2);
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
    const trunkline = createTrunkline({
      ...runtime,
      webhookSender,
      gateways: [gateway],
      storage,
      secretKey: SECRET_KEY,
    });
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
  it('rejects every call and says why', async () => {
    const runtime = testRuntime();
    const { gateway } = createSandbox();
    const storage = memoryStorage();
    const trunkline = createTrunkline({ ...runtime, gateways: [gateway], storage, secretKey: SECRET_KEY });
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
    const harness = await startHarness({
      prepare: (trunkline) =>
        trunkline.on(
          'instance.connected',
          async (_event, { workspaceId, signal }) => {
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            sent.push((await trunkline.workspace(workspaceId).instances.list()).data);
          },
          { name: 'slow' },
        ),
    });
    await connectInstance(harness);
    await harness.trunkline.stop();
    expect(sent).toHaveLength(1);
  });
});
