import { ok, refuse } from '../result.ts';
import type { Refusal, Result } from '../result.ts';
import type { Plan, Workspace } from './workspace.ts';

export function checkMayCreateInstance(plan: Plan): Result<Plan> {
  return plan.subscription === 'none' ? subscriptionRequired() : ok(plan);
}

export function checkMaySend(plan: Plan): Result<Plan> {
  switch (plan.subscription) {
    case 'none':
      return subscriptionRequired();
    case 'past_due':
      return refuse(
        'SUBSCRIPTION_PAST_DUE',
        'The subscription of the workspace is past due: messages are accepted again when it is paid.',
      );
    case 'trial':
    case 'active':
      return ok(plan);
  }
}

/**
 * Whether queued messages and webhook deliveries wait until the workspace is resumed (docs/decisions.md, "Workspaces"),
 * because it is suspended or its subscription has ended. Connections stay open, and inbound messages are stored.
 */
export function isPostponed({ suspendedAt, plan }: Pick<Workspace, 'suspendedAt' | 'plan'>): boolean {
  return suspendedAt !== null || plan.subscription === 'none';
}

/**
 * The number of messages after which the trial is used up; null if the plan is not a trial, or the trial has no limit.
 */
export function trialLimit(plan: Plan): number | null {
  return plan.subscription === 'trial' ? plan.trialMessageLimit : null;
}

function subscriptionRequired(): { ok: false; refusal: Refusal } {
  return refuse(
    'SUBSCRIPTION_REQUIRED',
    'The workspace has no subscription, which it needs to create instances and to send messages.',
  );
}
