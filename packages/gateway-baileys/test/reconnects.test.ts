import { silentLogger } from '@trunkline/core';
import { pause } from '@trunkline/core/spi/gateway';
import { expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startLinkedFlow } from './support/flow.ts';
import { acceleratingClock } from './support/linked.ts';

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
