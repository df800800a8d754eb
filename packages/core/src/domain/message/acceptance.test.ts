import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleMessage } from '../../../test/support/examples.ts';
import { IDEMPOTENCY_WINDOW_MS } from '../idempotency/idempotency.ts';
import { decideAcceptance } from './acceptance.ts';
import type { Acceptance, AcceptanceFacts, AcceptanceResult } from './acceptance.ts';

const NOW = 1_700_000_000_000;

const key = { key: 'order-1', fingerprint: 'abc', messageId: 'msg_2', createdAt: NOW };
const earlier = { ...key, messageId: 'msg_1', createdAt: NOW - 1 };

const message = exampleMessage({ id: 'msg_2', createdAt: NOW });

const ASKED: Acceptance = { message, idempotency: key, backlogLimit: 3, trialLimit: 2, revision: 'a' };

const READY: AcceptanceFacts = {
  revision: 'a',
  record: null,
  instance: { acceptsMessages: true, queued: 2 },
  trialMessagesUsed: 1,
};

/** The obstacles in the order in which they are checked, each with the resulting decision. */
const OBSTACLES: readonly [AcceptanceResult, (facts: AcceptanceFacts) => AcceptanceFacts][] = [
  [{ kind: 'stale' }, (facts) => ({ ...facts, revision: 'b' })],
  [{ kind: 'remembered', record: earlier }, (facts) => ({ ...facts, record: earlier })],
  [{ kind: 'instance_gone' }, (facts) => ({ ...facts, instance: null })],
  [
    { kind: 'instance_not_connected' },
    (facts) => ({ ...facts, instance: facts.instance && { ...facts.instance, acceptsMessages: false } }),
  ],
  [{ kind: 'trial_used_up' }, (facts) => ({ ...facts, trialMessagesUsed: 2 })],
  [
    { kind: 'backlog_full' },
    (facts) => ({ ...facts, instance: facts.instance && { ...facts.instance, queued: 3 } }),
  ],
];

describe('an acceptance', () => {
  it('is decided by the first of its checks that fails, and accepted if none does', () => {
    const places = fc.subarray([...OBSTACLES.keys()]);
    fc.assert(
      fc.property(places, (chosen) => {
        const inTheWay = OBSTACLES.filter((_, place) => chosen.includes(place));
        const facts = inTheWay.reduce((sofar, [, apply]) => apply(sofar), READY);
        const [[expected] = [{ kind: 'accepted' }]] = inTheWay;
        expect(decideAcceptance(ASKED, facts)).toEqual(expected);
      }),
    );
  });

  it.each<[string, Partial<Acceptance>, Partial<AcceptanceFacts>]>([
    ['compares no sender without a revision', { revision: undefined }, { revision: undefined }],
    ['looks at no record without a key', { idempotency: null }, { record: earlier }],
    ['counts no trial without one', { trialLimit: null }, { trialMessagesUsed: 1_000 }],
    [
      'may use a key again at the end of its window',
      {},
      { record: { ...earlier, createdAt: NOW - IDEMPOTENCY_WINDOW_MS } },
    ],
  ])('%s', (_, asked, facts) => {
    expect(decideAcceptance({ ...ASKED, ...asked }, { ...READY, ...facts })).toEqual({ kind: 'accepted' });
  });

  it('is stale once its sender is gone', () => {
    expect(decideAcceptance(ASKED, { ...READY, revision: undefined })).toEqual({ kind: 'stale' });
  });
});
