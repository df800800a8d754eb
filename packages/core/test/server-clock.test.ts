import { describe, expect, it } from 'vitest';
import type { Storage } from '../src/index.ts';
import { manualClock } from '../src/testing/index.ts';
import { MINUTE, SECOND, startHarness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

/** A harness whose database has its own clock, and whose machine's clock is off by `offMs`. */
async function harnessOff(offMs: number, serverTime?: () => Promise<number>) {
  const server = manualClock();
  const clock = manualClock(server.now() + offMs);
  const memory = memoryStorage();
  const storage: Storage = { ...memory, serverTime: serverTime ?? (async () => server.now()) };
  const harness = await startHarness({ clock, storage });
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += SECOND) {
      await server.advance(SECOND);
      await clock.advance(SECOND);
    }
  };
  const instanceMadeAt = async (): Promise<number> =>
    Date.parse((await harness.api.instances.create()).created_at);
  return { harness, server, clock, advance, instanceMadeAt };
}

const warnings = (logs: readonly { level: string; message: string }[]): readonly string[] =>
  logs.filter(({ level }) => level === 'warn').map(({ message }) => message);

describe("a machine's clock that is wrong", () => {
  it.each([10 * MINUTE, -10 * MINUTE])(
    'makes no difference when it is off by %i ms, and is reported once',
    async (off) => {
      const { harness, server, advance, instanceMadeAt } = await harnessOff(off);
      expect(await instanceMadeAt()).toBe(server.now());
      await advance(MINUTE);
      expect(await instanceMadeAt()).toBe(server.now());
      expect(warnings(harness.logs)).toEqual([
        expect.stringContaining("this machine's clock differs from the database's, which counts"),
      ]);
    },
  );

  it('may be set while the process runs', async () => {
    const { server, clock, advance, instanceMadeAt } = await harnessOff(0);
    clock.jump(-10 * MINUTE);
    expect(await instanceMadeAt()).toBe(server.now());
    await advance(3 * SECOND);
    expect(await instanceMadeAt()).toBe(server.now());
  });

  it('follows the server if that is set forward', async () => {
    const { server, advance, instanceMadeAt } = await harnessOff(0);
    server.jump(5 * MINUTE);
    await advance(10 * SECOND);
    expect(await instanceMadeAt()).toBe(server.now());
  });
});

describe('a database whose time cannot be had', () => {
  it('at the start lets nothing start', async () => {
    const refused = harnessOff(0, () => Promise.reject(new Error('the connection is gone')));
    await expect(refused).rejects.toThrow('the connection is gone');
  });

  it('is asked again at the start, ten times, if it responds slowly', async () => {
    const clock = manualClock();
    let slow = 9;
    const serverTime = async (): Promise<number> => {
      slow -= 1;
      if (slow >= 0) await clock.advance(2 * SECOND);
      return clock.now();
    };
    const start = () => startHarness({ clock, storage: { ...memoryStorage(), serverTime } });
    await start();
    slow = 10;
    await expect(start()).rejects.toThrow('took longer than 1000 ms');
  });

  it('later leaves the clock going as it went', async () => {
    let reachable = true;
    const server = manualClock();
    const { advance, instanceMadeAt, clock } = await harnessOff(10 * MINUTE, () =>
      reachable ? Promise.resolve(server.now()) : Promise.reject(new Error('the connection is gone')),
    );
    reachable = false;
    clock.jump(MINUTE);
    await advance(30 * SECOND);
    expect(await instanceMadeAt()).toBe(server.now() + 30 * SECOND);
  });
});
