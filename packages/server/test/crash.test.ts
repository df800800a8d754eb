import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { expectNotifiedOnce, requestsAbout, startHarness, untilNotified } from './support/harness.ts';
import type { RunningServer, Harness } from './support/harness.ts';

/** The number of random kills in the last test. */
const RUNS = sized('CRASH_RUNS', { short: 2, long: 8 });
/** The number of kills right after a 202. */
const ROUNDS = sized('CRASH_ROUNDS', { short: 2, long: 10 });

// Runs the tests concurrently, because they mostly wait.
describe.concurrent('kill -9', () => {
  it('between the 202 and the send: the message is sent once after the restart', async () => {
    const { harness, server } = await startHarness();
    await server.kill();
    // This server cannot send, so it is killed before the send.
    const accepting = await harness.startNow({ ROLES: 'api' });
    const message = await accepting.client.send({ instance: harness.instance });
    const withFile = await accepting.client.sendFile({
      instance: harness.instance,
      content: 'A file of the tests.',
    });
    await accepting.kill();
    expect(harness.acceptedByNetwork()).toEqual([]);

    const after = await harness.startLater();
    for (const { id } of [message, withFile]) await untilNotified(harness, after, id);
    expect(await after.stop()).toBe(0);
    expect(harness.acceptedByNetwork().map(({ file }) => file?.size ?? null)).toEqual([null, 20]);
  });

  it.runIf(isLongForm)(`right after the 202, ${ROUNDS} times: each message is sent once`, async () => {
    const { harness, server } = await startHarness();
    let running = server;
    for (let round = 1; round <= ROUNDS; round++) {
      const message = await running.client.send({ instance: harness.instance, text: `Message ${round}` });
      await running.kill();
      running = await harness.startLater();
      await untilNotified(harness, running, message.id);
    }
    expect(await running.stop()).toBe(0);
    expect(textsOf(harness)).toEqual(Array.from({ length: ROUNDS }, (_, index) => `Message ${index + 1}`));
  });

  it.runIf(isLongForm)('between the send and its webhook: the event is repeated under its ids', async () => {
    const { harness, server } = await startHarness();
    const { receiver } = harness;
    receiver.hold('message.sent');
    const { id } = await server.client.send({ instance: harness.instance });
    const held = await until('the request hangs', () =>
      requestsAbout(receiver, id).find(({ responded }) => !responded),
    );
    await server.kill();
    receiver.release();

    const after = await harness.startLater();
    await untilNotified(harness, after, id);
    expect(await after.stop()).toBe(0);
    const again = requestsAbout(receiver, id).filter(({ event }) => event.type === 'message.sent');
    expect(again).toEqual([held, { ...held, responded: true }]);
    expect(harness.acceptedByNetwork()).toHaveLength(1);
  });

  it.runIf(isLongForm)(
    'on one of two servers, which has the network: the other continues, and the message waits',
    async () => {
      const { harness, server: first } = await startHarness();
      const second = await harness.startNow();
      await first.kill();
      const message = await second.client.send({ instance: harness.instance });
      expect((await second.client.message(message.id)).status).toBe('queued');

      // Starts immediately, and so has to wait until the killed server's lease expires.
      const back = await harness.startNow();
      expect(back.stdout()).not.toContain('without the role gateway');
      await untilNotified(harness, second, message.id);
      expectNotifiedOnce(harness.receiver, message.id);
      expect(await Promise.all([back.stop(), second.stop()])).toEqual([0, 0]);
      expect(harness.acceptedByNetwork()).toHaveLength(1);
    },
  );

  it.runIf(isLongForm)(
    `at any moment, ${RUNS} times: accepted messages are sent and reported once, and nothing else`,
    async (context) => {
      const random = randomInTest(context);
      const { harness, server } = await startHarness();
      const accepted = new Map<string, string>();
      let running = server;
      for (let run = 1; run <= RUNS; run++) {
        const sending = send(harness, running, run, accepted).catch(() => undefined); // fails when the server is killed
        await setTimeout(random(700));
        await running.kill();
        await sending;
        running = await harness.startLater();
      }
      // A client that got no response repeats the request with the same key, and gets the outcome of the message.
      for (let run = 1; run <= RUNS; run++) await send(harness, running, run, accepted);
      for (const id of accepted.values()) await untilNotified(harness, running, id);
      expect(await running.stop()).toBe(0);

      expect(accepted.size).toBe(RUNS * PER_RUN);
      expect(textsOf(harness).toSorted()).toEqual([...accepted.keys()].toSorted());
      for (const id of accepted.values()) expectNotifiedOnce(harness.receiver, id);
      expect(harness.receiver.refused).toEqual([]);
      const reported = harness.receiver.requests.filter(({ event }) => event.type.startsWith('message.'));
      expect(new Set(reported.map(({ event }) => event.id)).size).toBe(accepted.size * 3);
    },
  );
});

/** Messages per run. Each causes three webhooks, and an endpoint gets at most 120 per minute. */
const PER_RUN = 4;

/** Each message has its text as its idempotency key. */
async function send(
  harness: Harness,
  { client }: RunningServer,
  run: number,
  accepted: Map<string, string>,
): Promise<void> {
  for (let number = 1; number <= PER_RUN; number++) {
    const text = `run-${run}-message-${number}`;
    const { id } = await client.send({ instance: harness.instance, text, idempotencyKey: text });
    expect(accepted.get(text) ?? id).toBe(id);
    accepted.set(text, id);
  }
}

function textsOf(harness: Harness): readonly string[] {
  return harness.acceptedByNetwork().map(({ text }) => text);
}
