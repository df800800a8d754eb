import { expect, it } from 'vitest';
import { ENDPOINT_STARTS_PER_MINUTE, THROTTLE_WINDOW_MS } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { waitingOf } from './waiting.ts';
import type { LanePosition } from './waiting.ts';

const NOW = 1_000_000;
const delivery: Delivery = {
  id: 'whd_1',
  workspaceId: 'ten_1',
  endpointId: 'wh_1',
  eventId: 'evt_1',
  eventType: 'message.received',
  eventOccurredAt: NOW * 1000,
  status: 'pending',
  attempts: 0,
  maxAttempts: 8,
  manual: false,
  nextRetryAt: null,
  responseStatus: null,
  errorCode: null,
  lastAttemptAt: null,
  deliveredAt: null,
  createdAt: NOW,
};
const lane: LanePosition = { dueAt: NOW, claims: 0, starts: [] };
const startedFrom = (first: number): readonly number[] =>
  Array.from({ length: ENDPOINT_STARTS_PER_MINUTE }, (_, index) => first + index);

it.each<[string, Partial<LanePosition>, string, number | null]>([
  ['its request is in flight', { dueAt: null, claims: 2 }, 'in_progress', null],
  ['its next attempt is scheduled', { dueAt: NOW + 1 }, 'retry_scheduled', NOW + 1],
  [
    "a minute's starts are used up",
    { starts: startedFrom(NOW - 500) },
    'throttled',
    NOW - 500 + THROTTLE_WINDOW_MS,
  ],
  ['both slots are held by others', { claims: 2 }, 'endpoint_busy', null],
  ['nothing but its turn is missing', { claims: 1 }, 'queued', null],
  [
    'the oldest start leaves the window now',
    { starts: startedFrom(NOW - THROTTLE_WINDOW_MS) },
    'queued',
    null,
  ],
])('an open delivery waits while %s', (_, position, reason, until) => {
  expect(waitingOf(delivery, { ...lane, ...position }, NOW)).toEqual({ reason, until });
});

it('the throttle counts the latest starts, however many were kept', () => {
  const starts = [NOW - 60_000, ...startedFrom(NOW - 1000)];
  expect(waitingOf(delivery, { ...lane, starts }, NOW)?.until).toBe(NOW - 1000 + THROTTLE_WINDOW_MS);
});

it('a delivery that has ended waits for nothing, unless its endpoint has to be enabled first', () => {
  expect(waitingOf({ ...delivery, status: 'success' }, null, NOW)).toBeNull();
  expect(waitingOf({ ...delivery, status: 'failed', errorCode: 'ENDPOINT_DELETED' }, null, NOW)).toBeNull();
  const disabled = { ...delivery, status: 'failed', errorCode: 'ENDPOINT_DISABLED' } as const;
  expect(waitingOf(disabled, null, NOW)).toEqual({ reason: 'endpoint_disabled', until: null });
});
