import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { expectToldOnce, requestsAbout, setScene, untilTold } from './support/scene.ts';
import type { RunningServer, Scene } from './support/scene.ts';

/** Random kills in the last test; more with CRASH_RUNS. */
const RUNS = Number(process.env['CRASH_RUNS'] ?? 8);

// At the same time, for most of it is waiting.
describe.concurrent('kill -9', () => {
  it('between the 202 and the send: the message is sent after the restart, once', async () => {
    const { scene, server } = await setScene();
    await server.kill();
    // Accepts, and cannot send: the moment is sure.
    const accepting = await scene.startNow({ ROLES: 'api' });
    const message = await accepting.client.send({ instance: scene.instance });
    const withFile = await accepting.client.sendFile({
      instance: scene.instance,
      content: 'A file of the tests.',
    });
    await accepting.kill();
    expect(scene.acceptedByNetwork()).toEqual([]);

    const after = await scene.startLater();
    for (const { id } of [message, withFile]) await untilTold(scene, after, id);
    expect(await after.stop()).toBe(0);
    expect(scene.acceptedByNetwork().map(({ file }) => file?.size ?? null)).toEqual([null, 20]);
  });

  it('right at the 202, ten times: each message is sent once', async () => {
    const { scene, server } = await setScene();
    let running = server;
    for (let round = 1; round <= 10; round++) {
      const message = await running.client.send({ instance: scene.instance, text: `Message ${round}` });
      await running.kill();
      running = await scene.startLater();
      await untilTold(scene, running, message.id);
    }
    expect(await running.stop()).toBe(0);
    expect(textsOf(scene)).toEqual(Array.from({ length: 10 }, (_, index) => `Message ${index + 1}`));
  });

  it('between the send and its webhook: the event comes again under its ids', async () => {
    const { scene, server } = await setScene();
    const { receiver } = scene;
    receiver.hold('message.sent');
    const { id } = await server.client.send({ instance: scene.instance });
    const held = await until('the request hangs', () =>
      requestsAbout(receiver, id).find(({ answered }) => !answered),
    );
    await server.kill();
    receiver.release();

    const after = await scene.startLater();
    await untilTold(scene, after, id);
    expect(await after.stop()).toBe(0);
    const again = requestsAbout(receiver, id).filter(({ event }) => event.type === 'message.sent');
    expect(again).toEqual([held, { ...held, answered: true }]);
    expect(scene.acceptedByNetwork()).toHaveLength(1);
  });

  it('of the one of two servers that has the network: the other goes on, and the message waits', async () => {
    const { scene, server: first } = await setScene();
    const second = await scene.startNow();
    await first.kill();
    const message = await second.client.send({ instance: scene.instance });
    expect((await second.client.message(message.id)).status).toBe('queued');

    // At the same time, so that the lease of the dead one has really to run out.
    const back = await scene.startNow();
    expect(back.stdout()).not.toContain('without the role gateway');
    await untilTold(scene, second, message.id);
    expectToldOnce(scene.receiver, message.id);
    expect(await Promise.all([back.stop(), second.stop()])).toEqual([0, 0]);
    expect(scene.acceptedByNetwork()).toHaveLength(1);
  });

  it(`at any moment, ${RUNS} times: what was accepted is sent and reported once, and nothing else`, async (context) => {
    const random = randomInTest(context);
    const { scene, server } = await setScene();
    const accepted = new Map<string, string>();
    let running = server;
    for (let run = 1; run <= RUNS; run++) {
      const sending = send(scene, running, run, accepted).catch(() => undefined); // until the server is gone
      await setTimeout(random(700));
      await running.kill();
      await sending;
      running = await scene.startLater();
    }
    // A client that got no answer asks again with its key, and learns what has become of the message.
    for (let run = 1; run <= RUNS; run++) await send(scene, running, run, accepted);
    for (const id of accepted.values()) await untilTold(scene, running, id);
    expect(await running.stop()).toBe(0);

    expect(accepted.size).toBe(RUNS * PER_RUN);
    expect(textsOf(scene).toSorted()).toEqual([...accepted.keys()].toSorted());
    for (const id of accepted.values()) expectToldOnce(scene.receiver, id);
    expect(scene.receiver.refused).toEqual([]);
    const told = scene.receiver.requests.filter(({ event }) => event.type.startsWith('message.'));
    expect(new Set(told.map(({ event }) => event.id)).size).toBe(accepted.size * 3);
  });
});

/** With three events each, few enough for the 120 requests that an endpoint gets in a minute. */
const PER_RUN = 4;

/** Sends the messages of a run; each has its text as idempotency key. */
async function send(
  scene: Scene,
  { client }: RunningServer,
  run: number,
  accepted: Map<string, string>,
): Promise<void> {
  for (let number = 1; number <= PER_RUN; number++) {
    const text = `run-${run}-message-${number}`;
    const { id } = await client.send({ instance: scene.instance, text, idempotencyKey: text });
    expect(accepted.get(text) ?? id).toBe(id);
    accepted.set(text, id);
  }
}

function textsOf(scene: Scene): readonly string[] {
  return scene.acceptedByNetwork().map(({ text }) => text);
}
