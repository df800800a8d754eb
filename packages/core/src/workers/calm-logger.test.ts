import { expect, it } from 'vitest';
import { manualClock } from '../testing/index.ts';
import { calmLogger } from './calm-logger.ts';

function recording() {
  const lines: { readonly facts: Readonly<Record<string, unknown>>; readonly message: string }[] = [];
  const log = (facts: Readonly<Record<string, unknown>>, message: string): void =>
    void lines.push({ facts, message });
  const clock = manualClock();
  return { lines, clock, logger: calmLogger({ debug: log, info: log, warn: log, error: log }, clock) };
}

it('the same error is logged once in five seconds, with the number of those left out', async () => {
  const { lines, clock, logger } = recording();
  for (let times = 0; times < 1_000; times += 1)
    logger.error({ instanceId: 'a', err: new Error('full') }, 'failed');
  expect(lines).toHaveLength(1);
  await clock.advance(5_000);
  logger.error({ instanceId: 'a' }, 'failed');
  expect(lines.at(-1)).toEqual({ facts: { instanceId: 'a', repeated: 999 }, message: 'failed' });
  await clock.advance(5_000);
  logger.error({ instanceId: 'a' }, 'failed');
  expect(lines.at(-1)).toEqual({ facts: { instanceId: 'a' }, message: 'failed' });
});

it('other lines, and those about something else, are not left out', () => {
  const { lines, logger } = recording();
  logger.error({ instanceId: 'a' }, 'failed');
  logger.error({ instanceId: 'b' }, 'failed');
  logger.warn({ instanceId: 'a' }, 'failed');
  logger.error({ instanceId: 'a' }, 'failed differently');
  logger.info({}, 'told');
  logger.info({}, 'told');
  expect(lines).toHaveLength(6);
});
