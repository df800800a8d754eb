import { describe, expect, it } from 'vitest';
import { checkMayCreateInstance, checkMaySend, trialLimit } from './plan-rules.ts';
import { DEFAULT_PLAN } from './workspace.ts';
import type { Plan, BillingStatus } from './workspace.ts';

const plan = (subscription: BillingStatus): Plan => ({
  ...DEFAULT_PLAN,
  subscription,
  trialMessageLimit: 10,
});

describe('a plan', () => {
  it.each<[BillingStatus, string, string]>([
    ['active', 'yes', 'yes'],
    ['trial', 'yes', 'yes'],
    ['past_due', 'yes', 'SUBSCRIPTION_PAST_DUE'],
    ['none', 'SUBSCRIPTION_REQUIRED', 'SUBSCRIPTION_REQUIRED'],
  ])('%s: may create instances: %s, may send: %s', (subscription, create, send) => {
    const results = [checkMayCreateInstance(plan(subscription)), checkMaySend(plan(subscription))];
    expect(results.map((result) => (result.ok ? 'yes' : result.refusal.code))).toEqual([create, send]);
  });

  it('counts messages only while it is a trial', () => {
    expect(trialLimit(plan('trial'))).toBe(10);
    expect(trialLimit({ ...plan('trial'), trialMessageLimit: null })).toBeNull();
    expect(trialLimit(plan('active'))).toBeNull();
  });

  it('is by default active, without an instance limit and with 5 webhooks', () => {
    expect(DEFAULT_PLAN).toEqual({
      subscription: 'active',
      instanceLimit: null,
      trialMessageLimit: null,
      webhookLimit: 5,
    });
  });
});
