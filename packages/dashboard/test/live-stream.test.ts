import type { CallResult, RemoteEvent, StreamResult } from '@trunkline/http/client';
import { expect, it } from 'vitest';
import { createHintStream } from '../app/src/live/hint-stream.ts';
import type { LiveState } from '../app/src/live/hint-stream.ts';
import { manualTimers } from './support/manual-timers.ts';

function harness() {
  const timers = manualTimers();
  const opened: (string | undefined)[] = [];
  const log: string[] = [];
  const states: LiveState[] = [];
  let respond: () => CallResult<StreamResult> = () => streaming();
  let feed: (event: RemoteEvent | null) => void = () => undefined;
  const streaming = (): CallResult<StreamResult> => {
    const stream = new ReadableStream<RemoteEvent>({
      start(controller) {
        feed = (event) => (event === null ? controller.close() : controller.enqueue(event));
      },
    });
    return { ok: true, requestId: null, data: stream as StreamResult['data'] }; // Node's streams can be iterated
  };
  const stream = createHintStream({
    async open(lastEventId, signal) {
      opened.push(lastEventId);
      const result = respond();
      signal.addEventListener('abort', () => log.push('aborted'));
      return result;
    },
    onHint: ({ type }) => log.push(type),
    onGap: () => log.push('gap'),
    onState: (state) => states.push(state),
    onSignedOut: () => log.push('signed out'),
    timers,
    random: () => 1,
  });
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    stream,
    opened,
    log,
    states,
    tick,
    async pass(ms: number) {
      await tick();
      timers.pass(ms);
      await tick();
    },
    async send(id: string, type: string | null) {
      feed({ id, event: type === null ? null : { type, body: '{}' } });
      await tick();
    },
    async end() {
      feed(null);
      await tick();
    },
    refuse(status: number | null) {
      const code = status === null ? 'NETWORK_ERROR' : 'STREAM_LIMIT_REACHED';
      const error = { code, status, message: '', requestId: null, details: {} } as const;
      respond = () => ({ ok: false, error });
    },
    accept() {
      respond = streaming;
    },
  };
}

it('the data shown before the stream began is read again, and then each event is a hint', async () => {
  const { stream, log, states, tick, send } = harness();
  stream.start();
  stream.start();
  await tick();
  await send('evt_1', 'message.sent');
  expect(log).toEqual(['gap', 'message.sent']);
  expect(states).toEqual(['live']);
});

it('continues where it was after a short break, without repeating a hint', async () => {
  const { stream, opened, log, tick, send, end, pass } = harness();
  stream.start();
  await tick();
  await send('evt_1', 'message.sent');
  await end();
  await pass(1_000);
  await send('evt_1', 'message.sent');
  await send('evt_2', 'message.read');
  expect(opened).toEqual([undefined, 'evt_1']);
  expect(log).toEqual(['gap', 'message.sent', 'message.read']);
});

it('starts over after a long break, and everything is read again', async () => {
  const { stream, opened, log, tick, send, pass } = harness();
  stream.start();
  await tick();
  await send('evt_1', 'message.sent');
  stream.stop('paused');
  await pass(3_600_000);
  expect(opened).toHaveLength(1);
  stream.start();
  await tick();
  expect(opened).toEqual([undefined, undefined]);
  expect(log.filter((line) => line === 'gap')).toHaveLength(2);
});

it('tries less and less often if no stream gets through, and reports that it polls', async () => {
  const { stream, opened, states, refuse, pass, accept } = harness();
  refuse(429);
  stream.start();
  for (let second = 0; second < 600; second++) await pass(1_000);
  expect(opened.length).toBeLessThan(20);
  expect(states.at(-1)).toBe('polling');
  accept();
  await pass(60_000);
  expect(states.at(-1)).toBe('live');
});

it('reports that the session is over, and only then', async () => {
  const { stream, log, refuse, tick, pass } = harness();
  refuse(403);
  stream.start();
  await tick();
  expect(log).not.toContain('signed out');
  refuse(401);
  await pass(1_000);
  expect(log).toContain('signed out');
});

it('reports that the service is unreachable if there is no response', async () => {
  const { stream, states, refuse, pass } = harness();
  refuse(null);
  stream.start();
  for (let second = 0; second < 60; second++) await pass(1_000);
  expect(new Set(states)).toEqual(new Set(['offline']));
});

it('a connection that is silent for two heartbeats is replaced by a new one', async () => {
  const { stream, opened, log, tick, send, pass } = harness();
  stream.start();
  await tick();
  await pass(34_000);
  await send('evt_1', null);
  await pass(34_000);
  expect(log).not.toContain('aborted');
  await pass(1_000);
  expect(log).toContain('aborted');
  expect(opened).toHaveLength(1);
});
