import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW, exampleDelivery } from '../../../test/support/examples.ts';
import { mayRetry, requeue, completeAttempt } from './delivery-state.ts';
import type { AttemptOutcome } from './delivery-state.ts';
import { DELIVERY_STATUSES } from './delivery.ts';
import type { Delivery, DeliveryErrorCode } from './delivery.ts';

const AT = NOW + 5_000;
const ENDED = AT + 10_000;
const taken: AttemptOutcome = { startedAt: AT, endedAt: ENDED, responseStatus: 204, errorCode: null };
const refused: AttemptOutcome = {
  startedAt: AT,
  endedAt: ENDED,
  responseStatus: 500,
  errorCode: 'HTTP_ERROR',
};
const unsafe: AttemptOutcome = {
  startedAt: AT,
  endedAt: ENDED,
  responseStatus: null,
  errorCode: 'UNSAFE_URL',
};

const OPEN: Record<string, Delivery> = {
  'pending, first attempt': exampleDelivery(),
  'retrying, third attempt': exampleDelivery({ status: 'retrying', attempts: 2, nextRetryAt: NOW }),
  'retrying, eighth attempt': exampleDelivery({ status: 'retrying', attempts: 7, nextRetryAt: NOW }),
  'retried by hand after 3': exampleDelivery({ attempts: 3, manual: true }),
  'retried by hand after 7': exampleDelivery({ attempts: 7, manual: true }),
  'retried by hand after 8': exampleDelivery({ attempts: 8, manual: true }),
};

describe('an attempt', () => {
  it.each(Object.keys(OPEN))('%s, 2xx: success', (state) => {
    const before = exampleDelivery(OPEN[state]);
    expect(completeAttempt(before, taken)).toEqual({
      ...before,
      status: 'success',
      attempts: before.attempts + 1,
      manual: false,
      nextRetryAt: null,
      responseStatus: 204,
      errorCode: null,
      lastAttemptAt: AT,
      deliveredAt: ENDED,
    });
  });

  it.each([
    ['pending, first attempt', 'retrying', ENDED + 60_000],
    ['retrying, third attempt', 'retrying', ENDED + 30 * 60_000],
    ['retrying, eighth attempt', 'exhausted', null],
    ['retried by hand after 3', 'failed', null],
    ['retried by hand after 7', 'exhausted', null],
    ['retried by hand after 8', 'exhausted', null],
  ])('%s, failed: %s', (state, status, nextRetryAt) => {
    const before = exampleDelivery(OPEN[state]);
    expect(completeAttempt(before, refused)).toMatchObject({
      status,
      nextRetryAt,
      attempts: before.attempts + 1,
      manual: false,
      responseStatus: 500,
      errorCode: 'HTTP_ERROR',
      lastAttemptAt: AT,
      deliveredAt: null,
    });
  });

  it.each(Object.keys(OPEN))('%s, URL not allowed: failed, and not retried', (state) => {
    expect(completeAttempt(exampleDelivery(OPEN[state]), unsafe)).toMatchObject({
      status: 'failed',
      errorCode: 'UNSAFE_URL',
      responseStatus: null,
      nextRetryAt: null,
    });
  });

  it('failing again and again is exhausted with the eighth, 44 h 36 m after the first', () => {
    const codes: readonly DeliveryErrorCode[] = [
      'TIMEOUT',
      'CONNECTION_FAILED',
      'TLS_FAILED',
      'DNS_FAILED',
      'REDIRECT',
      'HTTP_ERROR',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...codes), { minLength: 8, maxLength: 8 }), (failures) => {
        let delivery = exampleDelivery();
        let at = NOW;
        for (const errorCode of failures) {
          expect(['pending', 'retrying']).toContain(delivery.status);
          at = delivery.nextRetryAt ?? at;
          delivery = completeAttempt(delivery, {
            startedAt: at,
            endedAt: at,
            responseStatus: null,
            errorCode,
          });
        }
        expect(delivery).toMatchObject({ status: 'exhausted', attempts: 8, errorCode: failures[7] });
        expect(at - NOW).toBe((44 * 60 + 36) * 60_000);
      }),
    );
  });
});

describe('a retry by hand', () => {
  it('is for failed and exhausted deliveries only', () => {
    const retriable = DELIVERY_STATUSES.filter((status) => mayRetry(exampleDelivery({ status }), 'extra'));
    expect(retriable).toEqual(['failed', 'exhausted']);
  });

  it('queues one more attempt and does not change the log', () => {
    const exhausted = exampleDelivery({
      status: 'exhausted',
      attempts: 8,
      responseStatus: 500,
      errorCode: 'HTTP_ERROR',
      lastAttemptAt: NOW,
    });
    expect(requeue(exhausted)).toEqual({ ...exhausted, status: 'pending', manual: true });
  });
});
