import { setImmediate } from 'node:timers/promises';
import { silentLogger } from '@trunkline/core';
import { pause } from '@trunkline/core/spi/gateway';
import { expect, it, vi } from 'vitest';
import { eventually, until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startLinkedFlow } from './support/flow.ts';
import { acceleratingClock, linked } from './support/linked.ts';

const MINUTE = 60_000;

it.each(isLongForm ? [503, 515] : [503])(
  'an instance whose connections the network ends with %i as soon as they are open logs in at most 8 times in 5 minutes',
  async (code) => {
    const { clock, accelerate } = acceleratingClock();
    const { wa, account } = await startLinkedFlow({ clock, logger: silentLogger });
    // Accelerate only after linking, which takes as long as the machine needs.
    accelerate(30);
    let logins = 0;
    const end = async (): Promise<void> => {
      for (;;) {
        const online = wa.next('online', account);
        wa.streamError(account, { code });
        await online;
        logins += 1;
      }
    };
    // Runs until the test stops the network.
    end().catch(() => {});
    await pause(clock, 5 * MINUTE);
    expect(logins).toBeLessThanOrEqual(7);
    await until('the instance has logged in again three times', () => logins >= 3);
  },
);

it('a connection reads the session only when the one before it has stored everything', async () => {
  const { network, session, link, open } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const storage = Promise.withResolvers<void>();
  const steps: string[] = [];
  const { save, read } = session;
  vi.spyOn(session, 'save').mockImplementation(async (changes) => {
    steps.push('save');
    await storage.promise;
    await save(changes);
    steps.push('saved');
  });
  await wa.inbound(reader, account, 'while the database is slow');
  await eventually(() => expect(steps).toEqual(['save']));
  vi.spyOn(session, 'read').mockImplementation(async (names) => {
    if (names.includes('creds')) steps.push('read');
    return (await read?.(names)) ?? new Map();
  });
  // Core does this when a connection does not open in time.
  const closing = link.connection().close();
  const opening = open();
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  storage.resolve();
  const next = await opening;
  await closing;
  expect(steps[steps.indexOf('read') - 1]).toBe('saved');
  const { message } = await next.first('message');
  expect(message.content).toMatchObject({ text: 'while the database is slow' });
});
