import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW, exampleMessage } from '../../../test/support/examples.ts';
import { advance } from './message-state.ts';
import type { MessageTrigger } from './message-state.ts';
import { MESSAGE_STATUSES } from './message.ts';
import type { Message, MessageStatus } from './message.ts';
import { SEND_OUTCOME_UNKNOWN } from './send-retry.ts';

const LATER = NOW + 1_000;
const ERROR = { code: 'recipient_refused', message: 'No.' };
const TRIGGERS = {
  sent: { kind: 'sent' },
  delivered: { kind: 'delivered' },
  read: { kind: 'read' },
  failed: { kind: 'failed', error: ERROR },
} satisfies Record<string, MessageTrigger>;

function inStatus(status: MessageStatus): Message {
  const sentAt = ['sent', 'delivered', 'read'].includes(status) ? NOW : null;
  const deliveredAt = ['delivered', 'read'].includes(status) ? NOW : null;
  return exampleMessage({ status, sentAt, deliveredAt, readAt: status === 'read' ? NOW : null });
}

/** The events that each trigger causes in each status (specification, "Outbound message"); a status never goes back. */
const TABLE: Record<MessageStatus, Record<keyof typeof TRIGGERS, string>> = {
  queued: {
    sent: 'message.sent',
    delivered: 'message.sent message.delivered',
    read: 'message.sent message.delivered message.read',
    failed: 'message.failed',
  },
  sent: {
    sent: '',
    delivered: 'message.delivered',
    read: 'message.delivered message.read',
    failed: 'message.failed',
  },
  delivered: { sent: '', delivered: '', read: 'message.read', failed: '' },
  read: { sent: '', delivered: '', read: '', failed: '' },
  failed: { sent: '', delivered: '', read: '', failed: '' },
  received: { sent: '', delivered: '', read: '', failed: '' },
};

describe('a message', () => {
  const rows = MESSAGE_STATUSES.flatMap((status) =>
    (['sent', 'delivered', 'read', 'failed'] as const).map((trigger) => ({
      status,
      trigger,
      events: TABLE[status][trigger],
    })),
  );

  it.each(rows)('$status, $trigger: [$events]', ({ status, trigger, events }) => {
    const steps = advance(inStatus(status), TRIGGERS[trigger], LATER);
    expect(steps.map(({ event }) => event).join(' ')).toBe(events);
  });

  it('takes a skipped receipt at the time of the one that implies it, each event with the message as it stood then', () => {
    const sent = inStatus('sent');
    expect(advance(sent, TRIGGERS.read, LATER)).toEqual([
      { event: 'message.delivered', message: { ...sent, status: 'delivered', deliveredAt: LATER } },
      { event: 'message.read', message: { ...sent, status: 'read', deliveredAt: LATER, readAt: LATER } },
    ]);
  });

  it('fails with its reason and its time', () => {
    const sent = inStatus('sent');
    expect(advance(sent, TRIGGERS.failed, LATER)).toEqual([
      { event: 'message.failed', message: { ...sent, status: 'failed', error: ERROR, failedAt: LATER } },
    ]);
  });
});

describe('a message that failed with an unknown outcome', () => {
  const failed = exampleMessage({ status: 'failed', error: SEND_OUTCOME_UNKNOWN, failedAt: NOW });
  const unfailed = { ...failed, error: null, failedAt: null, sentAt: LATER };

  it('is no longer failed once a receipt proves that it was sent', () => {
    expect(advance(failed, TRIGGERS.delivered, LATER)).toEqual([
      { event: 'message.sent', message: { ...unfailed, status: 'sent' } },
      { event: 'message.delivered', message: { ...unfailed, status: 'delivered', deliveredAt: LATER } },
    ]);
    expect(advance(failed, TRIGGERS.read, LATER).at(-1)?.message).toMatchObject({
      status: 'read',
      error: null,
    });
  });

  it('stays failed on anything less', () => {
    expect(advance(failed, TRIGGERS.sent, LATER)).toEqual([]);
    expect(advance(failed, TRIGGERS.failed, LATER)).toEqual([]);
  });
});

it('a step is never before the one that it follows, whatever the clock says', () => {
  const sent = exampleMessage({ status: 'sent', sentAt: LATER });
  expect(advance(sent, TRIGGERS.delivered, NOW)).toEqual([
    { event: 'message.delivered', message: { ...sent, status: 'delivered', deliveredAt: LATER } },
  ]);
  expect(advance(sent, TRIGGERS.failed, NOW)[0]?.message.failedAt).toBe(LATER);
});

describe('whatever the network reports', () => {
  const reports = fc.array(
    fc.record({
      trigger: fc.constantFrom<MessageTrigger[]>(...Object.values(TRIGGERS)),
      waitMs: fc.nat(5_000),
    }),
    { maxLength: 12 },
  );
  const steps = (happenings: readonly { trigger: MessageTrigger; waitMs: number }[]) => {
    let message = exampleMessage();
    let now = NOW;
    return happenings.flatMap(({ trigger, waitMs }) => {
      now += waitMs;
      const taken = advance(message, trigger, now);
      message = taken.at(-1)?.message ?? message;
      return taken;
    });
  };

  it('its events are a beginning of sent, delivered, read, or end with one failure', () => {
    fc.assert(
      fc.property(reports, (happenings) => {
        const events = steps(happenings).map(({ event }) => event);
        const progress = ['message.sent', 'message.delivered', 'message.read'];
        if (events.at(-1) === 'message.failed')
          expect(['', 'message.sent']).toContain(events.slice(0, -1).join());
        else expect(events).toEqual(progress.slice(0, events.length));
      }),
    );
  });

  it('each event carries the status it reports, and times never run backwards', () => {
    fc.assert(
      fc.property(reports, (happenings) => {
        for (const { message, event } of steps(happenings)) {
          expect(event).toBe(`message.${message.status}`);
          const { queuedAt, sentAt, deliveredAt, readAt, failedAt } = message;
          const times = [queuedAt, sentAt, deliveredAt, readAt, failedAt].filter((time) => time !== null);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});
