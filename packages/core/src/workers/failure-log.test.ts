import { expect, it } from 'vitest';
import type { Delivery } from '../domain/delivery/delivery.ts';
import { failureLog } from './failure-log.ts';

const MINUTE = 60_000;

const DELIVERY: Delivery = {
  id: 'whd_1',
  workspaceId: 'ten_1',
  endpointId: 'wh_1',
  eventId: 'evt_1',
  eventType: 'message.received',
  eventOccurredAt: 0,
  status: 'pending',
  attempts: 1,
  maxAttempts: 8,
  manual: false,
  nextRetryAt: null,
  responseStatus: null,
  errorCode: null,
  lastAttemptAt: null,
  deliveredAt: null,
  createdAt: 0,
};

it('A receiver that fails every other time is named once in five minutes, and one that keeps failing once', () => {
  const lines: string[] = [];
  let now = 0;
  const add =
    (level: string) =>
    (_: object, message: string): void =>
      void (level !== 'debug' && lines.push(`${now / MINUTE} ${level} ${message.slice(0, 24)}`));
  const logger = { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') };
  const log = failureLog(logger, { elapsed: () => now });
  const note = (errorCode: 'HTTP_ERROR' | null): void => {
    const response = { errorCode, responseStatus: errorCode === null ? 200 : 500, responseBody: '' };
    log.note({ delivery: DELIVERY, url: 'https://hooks.example.com/', response, cause: undefined });
  };
  for (; now < 10 * MINUTE; now += MINUTE / 2) {
    note('HTTP_ERROR');
    note(null);
  }
  for (; now < 20 * MINUTE; now += MINUTE) note('HTTP_ERROR');
  note(null);
  expect(lines).toEqual([
    '0 warn a webhook attempt failed',
    '0 info a failing webhook endpoi',
    '5 warn a webhook attempt failed',
    '5 info a failing webhook endpoi',
    '10 warn a webhook attempt failed',
    '20 info a failing webhook endpoi',
  ]);
});
