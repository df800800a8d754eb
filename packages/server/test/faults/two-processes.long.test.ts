import { SCOPES, SUBSCRIBABLE_EVENT_TYPES } from '@trunkline/core';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './faults.ts';
import { operationsOfPorts, operationsOfStorage } from './ports.ts';
import type { Operation } from './ports.ts';
import { onPostgres } from './real-surroundings.ts';
import { simulatedClock } from './simulated-clock.ts';
import { outsideOf } from './simulated-service.ts';
import type { SimulatedService } from './simulated-service.ts';
import { inTime, linked } from './simulation.ts';
import { inMemory } from './surroundings.ts';
import type { Surround } from './surroundings.ts';
import { idOf, trafficOf } from './traffic.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const URL = 'https://hooks.example.com/all';
const ports = operationsOfPorts();
const operations = operationsOfStorage();

interface Seen {
  /** The operations that the hanging process called while hanging. */
  readonly called: ReadonlySet<string>;
  readonly wrong: readonly string[];
}

/**
 * Simulates two processes. After a while, all calls of one storage operation hang in one process, and clients use the
 * other process.
 */
async function simulate(surround: Surround, hangs: Operation | null): Promise<Seen> {
  const clock = simulatedClock();
  const surroundings = await surround(clock);
  const { network, storage } = surroundings;
  const faults = faultsOf(clock, ports, hangs ? [{ operation: hangs, mode: 'hangs' }] : []);
  const around = outsideOf(clock, surroundings, faults);
  const hanging = around.newService();
  // The hanging process opens the storage.
  const shared = { ...storage, open: async () => undefined, close: async () => undefined };
  const outside = outsideOf(clock, { ...surroundings, storage: shared }, faultsOf(clock, ports, []));
  let service: SimulatedService = hanging;
  const traffic = trafficOf(clock, network, { service: () => service, endAt: () => Infinity });
  try {
    await inTime(clock, hanging.trunkline.start());
    const { admin } = hanging.trunkline;
    const { id: workspaceId } = await inTime(clock, admin.workspaces.create({ name: 'Acme' }));
    const key = { workspaceId, name: 'ci', scopes: SCOPES };
    traffic.identify((await inTime(clock, admin.apiKeys.create(key))).token);
    const webhook = { url: URL, events: SUBSCRIBABLE_EVENT_TYPES };
    await inTime(clock, traffic.request('POST', '/webhooks', webhook));
    const numbers: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const id = idOf((await inTime(clock, traffic.request('POST', '/instances'))).json);
      await inTime(clock, linked(traffic, network, id));
      numbers.push(id);
    }
    service = outside.newService();
    await inTime(clock, service.trunkline.start());
    await clock.advance(30 * SECOND);

    faults.begin();
    for (const seconds of [0, 20, 50, 65]) {
      clock.setTimer(seconds * SECOND, () => {
        for (const [index, id] of numbers.entries()) {
          traffic.send(id, '34600000001', `out ${index} at ${seconds}`);
          traffic.receive(id, '34600000002', `in ${index} at ${seconds}`);
        }
      });
    }
    await clock.advance(MINUTE);
    const wrong: string[] = [];
    const check = (): void => {
      for (const { instance, text } of traffic.accepted) {
        const sent = network.accepted(instance).filter((message) => message.text === text);
        if (sent.length !== 1) wrong.push(`${text} was sent ${sent.length} times`);
      }
    };
    check();
    await clock.advance(20 * SECOND);
    check();
    wrong.push(...traffic.unfinished().map((name) => `still in vain: ${name}`));
    const listed = await inTime(clock, traffic.request('GET', '/messages?limit=100'));
    const stored = listed.json?.data as readonly { readonly text: string; readonly status: string }[]; // the specification defines this type
    for (const { text } of traffic.written) {
      const count = stored.filter((message) => message.text === text).length;
      if (count !== 1) wrong.push(`${text} was stored ${count} times`);
    }
    await clock.advance(MINUTE);
    const told = new Set(
      [...around.received, ...outside.received].flatMap(({ event }) =>
        'message' in event.data ? [`${event.type} ${event.data.message.text}`] : [],
      ),
    );
    for (const { text } of traffic.accepted)
      if (!told.has(`message.sent ${text}`)) wrong.push(`no receiver was notified that ${text} was sent`);
    for (const { text } of traffic.written)
      if (!told.has(`message.received ${text}`))
        wrong.push(`no receiver was notified that ${text} was received`);
    return { called: faults.called, wrong };
  } finally {
    faults.end();
    await inTime(clock, Promise.all([hanging.trunkline.stop(), service.trunkline.stop()])).catch(
      () => undefined,
    );
    await surroundings.close();
  }
}

/**
 * On PostgreSQL, each simulation takes ten times as long, so a run simulates only one operation in six, starting with a
 * random one.
 */
const PART = 6;

describe('two processes, one of which waits for its database forever', () => {
  it.for<[string, Surround, number]>([
    ['SQLite', inMemory, 1],
    ['PostgreSQL', onPostgres, PART],
  ])('lose nothing, and the other one has the numbers within a minute (%s)', async (given, context) => {
    const [name, surround, part] = given;
    const chosen = randomInTest(context)(part);
    const { called, wrong } = await simulate(surround, null);
    expect(wrong).toEqual([]);
    const broken: Record<string, readonly string[]> = {};
    const hanging = operations
      .filter((one) => called.has(one.name))
      .filter((_, index) => index % part === chosen);
    for (const operation of hanging) {
      const seen = await simulate(surround, operation);
      if (seen.wrong.length > 0) broken[operation.name] = seen.wrong;
    }
    process.stdout.write(
      `Two processes on ${name}: each of ${hanging.length} operations hung in one of them.\n`,
    );
    expect(broken).toEqual({});
  });
});
