import { ok, refuse } from '../result.ts';
import type { Refusal, Result } from '../result.ts';
import type { Plan } from './workspace.ts';

export function checkMayCreateInstance(plan: Plan): Result<Plan> {
  return plan.subscription === 'none' ? subscriptionRequired() : ok(plan);
}

export function checkMaySend(plan: Plan): Result<Plan> {
  switch (plan.subscription) {
    case 'none':
      return subscriptionRequired();
    case 'past_due':
      return refuse('SUBSCRIPTION_PAST_DUE', 'The subscription is past due.');
    case 'trial':
    case 'active':
      return ok(plan);
  }
}

/** The number of messages after which the trial is used up; null where there is no such limit. */
export function trialLimit(plan: Plan): number | null {
  return plan.subscription === 'trial' ? plan.trialMessageLimit : null;
}

function subscriptionRequired(): { ok: false; refusal: Refusal } {
  return refuse('SUBSCRIPTION_REQUIRED', 'The workspace has no subscription.');
}
