import { expect, it } from 'vitest';
import { slotsOf } from '../app/src/pages/webhooks/day.ts';

const END = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 60 * 60 * 1_000;
const at = (ms: number): string => new Date(ms).toISOString();

it('the day of a webhook has 24 hours, each with its attempts by outcome and its times', () => {
  const failed = { HTTP_4XX: 1, HTTP_5XX: 2, REDIRECT: 4, TIMEOUT: 8, DNS_FAILED: 16 };
  const duration = { p50_ms: 75, p95_ms: 438, classes: [] };
  const periods = [
    { start: at(END - 25 * HOUR), succeeded: 99, failed: {}, duration },
    { start: at(END - 24 * HOUR), succeeded: 3, failed, duration },
  ];
  const slots = slotsOf({ to: at(END), periods });
  expect(slots).toHaveLength(24);
  const counts = { succeeded: 3, refused: 7, unanswered: 24, failed, p50: 75, p95: 438 };
  expect(slots[0]).toEqual({ from: END - 24 * HOUR, ...counts });
  const none = { succeeded: 0, refused: 0, unanswered: 0, failed: {}, p50: null, p95: null };
  expect(slots.slice(1)).toEqual(
    Array.from({ length: 23 }, (_, index) => ({ from: END - (23 - index) * HOUR, ...none })),
  );
});
