import { otherNews } from '../domain/instance/instance-history.ts';
import type { Instance } from '../domain/instance/instance.ts';
import { nextStepOf } from '../domain/instance/next-step.ts';
import { CLOCKS_APART_MS, isTooFarAhead } from '../domain/too-far-ahead.ts';
import type { Notifier } from '../ports/notifier.ts';
import { createLoop, eachStep } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { downNotification } from '../services/instances/down-notification.ts';
import { createHistoryLog } from '../services/instances/history-log.ts';
import { createInstanceNotificationSender } from './notification-sender.ts';

const EVERY_MS = 30_000;
const BATCH = 100;

/**
 * Reports each outage of a number once, if it lasts long enough, and sends the owed emails. A decision and its owed
 * email are one write, which only one of several processes can make. A pass reads only the numbers that are down and
 * not yet reported.
 */
export function createOutageMonitor(context: ServiceContext, notifier: Notifier): Worker {
  const { storage, clock, logger, newId, settings } = context;
  const sender = createInstanceNotificationSender(context, notifier);

  const reportAll = async (): Promise<void> => {
    if (settings.instanceDownAfterMs === 0) return;
    let after: string | null = null;
    const steps: (() => Promise<void>)[] = [];
    for (;;) {
      const now = clock.now();
      const down: readonly Instance[] = await storage.instances.listDown({
        before: now - settings.instanceDownAfterMs,
        latest: now + CLOCKS_APART_MS,
        after,
        limit: BATCH,
      });
      steps.push(...down.map((instance) => () => report(instance)));
      after = down.at(-1)?.id ?? null;
      if (down.length < BATCH) break;
    }
    await eachStep(steps);
  };

  /**
   * Reports an instance. If it has changed since it was read, the write changes nothing, and the next pass looks at it
   * again.
   */
  const report = async (instance: Instance): Promise<void> => {
    const { id: instanceId, workspaceId, downSince } = instance;
    const now = clock.now();
    const write = { event: null, lease: null };
    // The outage began before the clock was set back: measure it from now.
    if (downSince === null || isTooFarAhead(downSince, now)) {
      await storage.instances.write({ ...write, instance: { ...instance, downSince: now } });
      return;
    }
    const history = createHistoryLog(newId, { workspaceId, instanceId, process: null });
    const news = otherNews(instance, 'down_reported', { next: nextStepOf(instance, null) });
    await storage.instances.write({
      ...write,
      instance: { ...instance, downNotifiedAt: now },
      entry: history.entryOf(news, now),
      notification: downNotification(newId, instance, { downSince, now }),
    });
  };

  return createLoop({
    name: 'outage monitor',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      await eachStep([reportAll, sender.sendOwed]);
      return { more: false, nextAt: null };
    },
  });
}
