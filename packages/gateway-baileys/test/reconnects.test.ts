import { silentLogger } from '@trunkline/core';
import { pause } from '@trunkline/core/spi/gateway';
import { expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startLinkedFlow } from './support/flow.ts';
import { fastClock } from './support/linked.ts';

const MINUTE = 60_000;

it.each(isLongForm ? [503, 515] : [503])(
  'an instance whose connections the network ends with %i as soon as they are open logs in at most 8 times in 5 minutes',
  async (code) => {
    const clock = fastClock(30);
    const { wa, account } = await startLinkedFlow({ clock, logger: silentLogger });
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
    // The first login is not counted.
    expect(logins).toBeGreaterThanOrEqual(3);
    expect(logins).toBeLessThanOrEqual(7);
  },
);
