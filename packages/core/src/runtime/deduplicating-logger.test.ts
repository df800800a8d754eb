import { expect, it } from 'vitest';
import { manualClock } from '../testing/index.ts';
import { deduplicatingLogger } from './deduplicating-logger.ts';

function recording() {
  const lines: { readonly facts: Readonly<Record<string, unknown>>; readonly message: string }[] = [];
  const log = (facts: Readonly<Record<string, unknown>>, message: string): void =>
    void lines.push({ facts, message });
  const clock = manualClock();
  return {
    lines,
    clock,
    logger: deduplicatingLogger({ debug: log, info: log, warn: log, error: log }, clock),
  };
}

it('the same error is logged once in a minute, and then with the number of those left out', async () => {
  const { lines, clock, logger } = recording();
  for (let times = 0; times < 1_000; times += 1)
    logger.error({ instanceId: 'a', err: new Error('full') }, 'failed');
  expect(lines).toHaveLength(1);
  await clock.advance(59_999);
  expect(lines).toHaveLength(1);
  // The caller logs nothing more before the report.
  await clock.advance(1);
  const err = expect.any(Error);
  expect(lines.slice(1)).toEqual([{ facts: { instanceId: 'a', err, repeated: 999 }, message: 'failed' }]);
  await clock.advance(60_000);
  expect(lines).toHaveLength(2);
  logger.error({ instanceId: 'a' }, 'failed');
  expect(lines.at(-1)).toEqual({ facts: { instanceId: 'a' }, message: 'failed' });
});

it('an error that keeps recurring is logged every minute', async () => {
  const { lines, clock, logger } = recording();
  for (let second = 0; second < 720; second += 1) {
    logger.error({ instanceId: 'a' }, 'failed');
    await clock.advance(1_000);
  }
  expect(lines).toHaveLength(13);
  expect(lines.map(({ facts }) => facts['repeated'] ?? 1)).toEqual([1, 59, ...Array<number>(11).fill(60)]);
});

it('the calm logger leaves out no other line, nor one about something else', () => {
  const { lines, logger } = recording();
  logger.error({ instanceId: 'a' }, 'failed');
  logger.error({ instanceId: 'b' }, 'failed');
  logger.warn({ instanceId: 'a' }, 'failed');
  logger.error({ instanceId: 'a' }, 'failed differently');
  logger.info({}, 'reported');
  logger.info({}, 'reported');
  expect(lines).toHaveLength(6);
});

it('one message about many deliveries is logged once in a minute, for each endpoint', async () => {
  const { lines, clock, logger } = recording();
  for (const webhookId of ['a', 'b'])
    for (let one = 0; one < 100; one += 1) logger.warn({ webhookId, deliveryId: `dlv_${one}` }, 'failed');
  expect(lines).toHaveLength(2);
  await clock.advance(60_000);
  expect(lines.slice(2)).toMatchObject([
    { facts: { webhookId: 'a', deliveryId: 'dlv_99', repeated: 99 } },
    { facts: { webhookId: 'b', deliveryId: 'dlv_99', repeated: 99 } },
  ]);
});

it('a message about ever new things is logged about 20 of them in a minute, and the others counted', async () => {
  const { lines, clock, logger } = recording();
  for (let one = 0; one < 5_000; one += 1) logger.error({ instanceId: `ins_${one}` }, 'failed');
  expect(lines).toHaveLength(20);
  await clock.advance(60_000);
  expect(lines.slice(20)).toEqual([{ facts: { leftOut: 4_980 }, message: 'failed' }]);
  logger.error({ instanceId: 'ins_1' }, 'failed');
  expect(lines.at(-1)).toEqual({ facts: { instanceId: 'ins_1' }, message: 'failed' });
});

it('lines that were left out are logged at the end of the process, and nothing after them', async () => {
  const { lines, clock, logger } = recording();
  for (let times = 0; times < 3; times += 1) logger.warn({}, 'failed');
  logger.flush();
  expect(lines.map(({ facts }) => facts)).toEqual([{}, { repeated: 2 }]);
  await clock.advance(60_000);
  expect(lines).toHaveLength(2);
});

it('a logger that throws ends nothing', () => {
  const fail = (): void => {
    throw new Error('the disk of the log is full');
  };
  const logger = deduplicatingLogger({ debug: fail, info: fail, warn: fail, error: fail }, manualClock());
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    expect(() => logger[level]({}, 'failed')).not.toThrow();
});
