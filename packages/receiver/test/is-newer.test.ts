import { describe, expect, it } from 'vitest';
import { isNewer, type ComparableEvent, type WebhookMessage } from '@trunkline/receiver';

type Status = WebhookMessage['status'];

const message = (status: Status, time: string, id = 'msg_1'): ComparableEvent => ({
  created_at: `2025-11-20T21:00:${time}Z`,
  data: { message: { id, status } },
});
const instance = (time: string): ComparableEvent => ({
  created_at: `2025-11-20T21:00:${time}Z`,
  data: { instance: { id: 'ins_1' } },
});

describe('isNewer', () => {
  const statuses: readonly Status[] = ['queued', 'sent', 'delivered', 'read'];

  it('follows the status of a message, whatever the clocks say', () => {
    for (const [index, status] of statuses.entries()) {
      for (const [knownIndex, known] of statuses.entries()) {
        if (index === knownIndex) continue;
        expect(isNewer(message(status, '01.000000'), message(known, '02.000000'))).toBe(index > knownIndex);
      }
    }
    expect(isNewer(message('failed', '01.000000'), message('sent', '01.000000'))).toBe(true);
    expect(isNewer(message('sent', '01.000000'), message('failed', '01.000000'))).toBe(false);
  });

  it('puts events of one microsecond in order, as those of a skipped receipt', () => {
    expect(isNewer(message('read', '01.000000'), message('delivered', '01.000000'))).toBe(true);
    expect(isNewer(message('delivered', '01.000000'), message('read', '01.000000'))).toBe(false);
  });

  it('is false for the same event again', () => {
    expect(isNewer(message('sent', '01.000000'), message('sent', '01.000000'))).toBe(false);
    expect(isNewer(instance('01.000000'), instance('01.000000'))).toBe(false);
  });

  it.each([
    ['02.000000', '01.999999', true],
    ['01.000001', '01.000002', false],
    ['01.000002', '01.000001', true],
    ['01', '01.5', false],
    ['01.5', '01', true],
    ['01.12', '01.119999', true],
  ])('compares %s with %s by microseconds', (time, known, newer) => {
    expect(isNewer(instance(time), instance(known))).toBe(newer);
  });

  it('goes by time for statuses that are newer than this package, and for different messages', () => {
    const unknown = message('pinned' as Status, '01.000000'); // a status that a newer service may send
    expect(isNewer(unknown, message('sent', '02.000000'))).toBe(false);
    expect(isNewer(message('read', '01.000000', 'msg_2'), message('sent', '02.000000'))).toBe(false);
  });
});
