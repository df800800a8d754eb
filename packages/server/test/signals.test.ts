import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { until } from '@trunkline/test-support';
import { requestsAbout, startHarness, untilNotified } from './support/harness.ts';

describe.concurrent('A signal', () => {
  it.for(isLongForm ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))(
    '%s lets work in flight finish, and releases held instances',
    async (signal) => {
      const { harness, server } = await startHarness();
      const { receiver } = harness;
      receiver.hold('message.sent');
      const { id } = await server.client.send({ instance: harness.instance });
      await until('a webhook is in flight', () =>
        requestsAbout(receiver, id).some(({ responded }) => !responded),
      );
      server.signal(signal);
      await until('the server takes no more connections', () =>
        fetch(`${server.url}/healthz`).then(
          () => false,
          () => true,
        ),
      );
      receiver.release();
      expect(await server.ended()).toBe(0);
      expect(server.stderr().replace(/^.*WEBHOOK_URL_POLICY=local.*\n/, '')).toBe('');
      const inTime = requestsAbout(receiver, id).filter(({ event }) => event.type === 'message.sent');
      expect(inTime).toHaveLength(1);

      // The first server left no lease that has to expire.
      const next = await harness.startNow();
      const started = performance.now();
      await untilNotified(harness, next, (await next.client.send({ instance: harness.instance })).id);
      // oxlint-disable-next-line trunkline/no-short-limit -- a lease runs out after 30 seconds
      expect(performance.now() - started).toBeLessThan(25_000);
      expect(await next.stop()).toBe(0);
    },
  );

  it.runIf(isLongForm)('ends the server immediately when it arrives a second time', async () => {
    const { harness, server } = await startHarness();
    const { receiver } = harness;
    receiver.hold('message.sent');
    const { id } = await server.client.send({ instance: harness.instance });
    await until('a webhook is in flight', () =>
      requestsAbout(receiver, id).some(({ responded }) => !responded),
    );
    server.signal('SIGTERM');
    server.signal('SIGINT');
    expect([130, 143]).toContain(await server.ended());
    receiver.release();

    const after = await harness.startLater();
    await untilNotified(harness, after, id);
    expect(await after.stop()).toBe(0);
  });
});

it('An unexpected error ends the server, and is the last line of its log', async () => {
  const { harness, server } = await startHarness();
  server.signal('SIGUSR2');
  expect(await server.ended()).toBe(1);
  const [line = '', ...more] = server.stderr().split('\n').slice(1);
  expect(JSON.parse(line)).toMatchObject({
    msg: expect.stringContaining('an unexpected error ends the server'),
    err: { message: 'A defect of the tests.' },
  });
  expect(more).toEqual(['']);
  if (!isLongForm) return;
  const after = await harness.startLater();
  expect(await after.stop()).toBe(0);
});
