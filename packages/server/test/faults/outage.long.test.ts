import { SCOPES } from '@trunkline/core';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './faults.ts';
import type { Mode } from './faults.ts';
import { operationsOfStorage } from './ports.ts';
import { simulatedClock } from './simulated-clock.ts';
import { HANDLER, outsideOf } from './simulated-service.ts';
import { inTime, linked } from './simulation.ts';
import { inMemory } from './surroundings.ts';
import { idOf, trafficOf } from './traffic.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NUMBERS = 20;
const AWAY_MS = 10 * MINUTE;
/**
 * The interval at which each number sends and receives one message, long enough that the endpoint's throttle delays no
 * event for long.
 */
const EVERY_MS = 2 * MINUTE;
const URL = 'https://hooks.example.com/all';

const storageOperations = operationsOfStorage();

describe('a database that is unreachable for ten minutes', () => {
  it.each<Mode>(['rejects', 'hangs'])(
    'loses nothing of 20 numbers, and all flows again soon (%s)',
    async (mode) => {
      const clock = simulatedClock();
      const surroundings = await inMemory(clock);
      const given = storageOperations.map((operation) => ({ operation, mode }));
      const faults = faultsOf(clock, storageOperations, given);
      const outside = outsideOf(clock, surroundings, faults);
      const service = outside.newService();
      await inTime(clock, service.trunkline.start());
      let endAt = Infinity;
      const traffic = trafficOf(clock, surroundings.network, {
        service: () => service,
        endAt: () => endAt,
      });
      const { admin } = service.trunkline;
      const { id: workspaceId } = await inTime(clock, admin.workspaces.create({ name: 'Acme' }));
      const key = { workspaceId, name: 'ci', scopes: SCOPES };
      traffic.identify((await inTime(clock, admin.apiKeys.create(key))).token);
      await inTime(
        clock,
        traffic.request('POST', '/webhooks', { url: URL, events: ['message.sent', 'message.received'] }),
      );
      const numbers: string[] = [];
      for (let i = 0; i < NUMBERS; i += 1) {
        const id = idOf((await inTime(clock, traffic.request('POST', '/instances'))).json);
        await inTime(clock, linked(traffic, surroundings.network, id));
        numbers.push(id);
      }

      const awayAt = clock.now();
      for (let ms = 0; ms <= AWAY_MS; ms += EVERY_MS) {
        clock.setTimer(ms, () => {
          for (const [index, id] of numbers.entries()) {
            traffic.send(id, '34600000001', `out ${index} at ${ms}`);
            traffic.receive(id, '34600000002', `in ${index} at ${ms}`);
          }
        });
      }
      faults.begin();
      const cpu = process.cpuUsage();
      await clock.advance(AWAY_MS);
      const { user, system } = process.cpuUsage(cpu);
      faults.end();
      const backAt = clock.now();
      endAt = backAt + 5 * MINUTE;
      await clock.advance(5 * MINUTE);

      const told = (by: string): ReadonlyMap<string, number> =>
        new Map(
          outside.received.flatMap((one) =>
            one.by === by && 'message' in one.event.data
              ? [[`${one.event.type} ${one.event.data.message.text}`, one.at]]
              : [],
          ),
        );
      const expected = [
        ...traffic.accepted.map(({ text }) => `message.sent ${text}`),
        ...traffic.written.map(({ text }) => `message.received ${text}`),
      ];
      const lastAt = Math.max(...told(HANDLER).values());
      const lines = outside.lines.filter(
        ({ at, level }) => at >= awayAt && at < backAt && (level === 'warn' || level === 'error'),
      );
      const kinds = Map.groupBy(lines, ({ at, message, facts }) =>
        JSON.stringify([
          Math.floor((at - awayAt) / MINUTE),
          message,
          facts['operation'] ?? facts['instanceId'] ?? facts['worker'],
        ]),
      );
      const most = Math.max(...Array.from(kinds.values(), (all) => all.length));
      process.stdout.write(
        `Away (${mode}): ${lines.length} lines in ten minutes, at most ${most} a minute and kind; ${(user + system) / 1e6} s of CPU; the last event came ${(lastAt - backAt) / SECOND} s after the database.\n`,
      );

      expect(traffic.unfinished()).toEqual([]);
      expect(traffic.accepted).toHaveLength((NUMBERS * (AWAY_MS + EVERY_MS)) / EVERY_MS);
      for (const by of [URL, HANDLER]) expect(expected.filter((one) => !told(by).has(one))).toEqual([]);
      for (const id of numbers) {
        const texts = surroundings.network.accepted(id).map(({ text }) => text);
        expect(texts).toHaveLength(new Set(texts).size);
      }
      expect(most).toBeLessThanOrEqual(2);
      expect((lastAt - backAt) / SECOND).toBeLessThan(150);
      await inTime(clock, service.trunkline.stop());
      await surroundings.close();
    },
  );
});
