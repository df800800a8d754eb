import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { requestsAbout, setScene, untilTold } from './support/scene.ts';

describe.concurrent('A signal', () => {
  it.for(['SIGTERM', 'SIGINT'] as const)(
    '%s lets end what has begun, and gives back what is held',
    async (signal) => {
      const { scene, server } = await setScene();
      const { receiver } = scene;
      receiver.hold('message.sent');
      const { id } = await server.client.send({ instance: scene.instance });
      await until('a webhook is under way', () =>
        requestsAbout(receiver, id).some(({ answered }) => !answered),
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
      expect(server.stderr().replace(/^WARNING: .*\n/, '')).toBe('');
      const inTime = requestsAbout(receiver, id).filter(({ event }) => event.type === 'message.sent');
      expect(inTime).toHaveLength(1);

      // At once: no lease of the first has to run out.
      const next = await scene.startNow();
      const started = performance.now();
      await untilTold(scene, next, (await next.client.send({ instance: scene.instance })).id);
      expect(performance.now() - started).toBeLessThan(25_000);
      expect(await next.stop()).toBe(0);
    },
  );

  it('ends the server at once when it comes a second time', async () => {
    const { scene, server } = await setScene();
    const { receiver } = scene;
    receiver.hold('message.sent');
    const { id } = await server.client.send({ instance: scene.instance });
    await until('a webhook is under way', () =>
      requestsAbout(receiver, id).some(({ answered }) => !answered),
    );
    server.signal('SIGTERM');
    server.signal('SIGINT');
    expect([130, 143]).toContain(await server.ended());
    receiver.release();

    const after = await scene.startLater();
    await untilTold(scene, after, id);
    expect(await after.stop()).toBe(0);
  });
});

it(
  'An error that nobody has reckoned with ends the server, and is the last line of its log',
  { timeout: 120_000 },
  async () => {
    const { scene, server } = await setScene();
    server.signal('SIGUSR2');
    expect(await server.ended()).toBe(1);
    const [line = '', ...more] = server.stderr().split('\n').slice(1);
    expect(JSON.parse(line)).toMatchObject({
      msg: 'an unexpected error ends the server',
      err: { message: 'A defect of the tests.' },
    });
    expect(more).toEqual(['']);
    const after = await scene.startLater();
    expect(await after.stop()).toBe(0);
  },
);
