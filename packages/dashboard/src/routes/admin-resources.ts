import type { ApiKeyInfo, Member, SubscriptionInfo, Workspace } from '@trunkline/core';
import type {
  KeyResource,
  MemberResource,
  SubscriptionResource,
  WorkspaceResource,
} from '../schemas/admin.ts';

/** `numbers`: how many each workspace has, if any. */
export function workspaceResource(
  workspace: Workspace,
  numbers: ReadonlyMap<string, number>,
): WorkspaceResource {
  const { plan } = workspace;
  return {
    id: workspace.id,
    name: workspace.name,
    plan: {
      subscription: plan.subscription,
      instance_limit: plan.instanceLimit,
      trial_message_limit: plan.trialMessageLimit,
      webhook_limit: plan.webhookLimit,
    },
    trial_messages_used: workspace.trialMessagesUsed,
    numbers: numbers.get(workspace.id) ?? 0,
    suspended_at: timeOrNull(workspace.suspendedAt),
    messages_days: workspace.retention?.messagesDays ?? null,
    created_at: time(workspace.createdAt),
  };
}

export function keyResource(key: ApiKeyInfo): KeyResource {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    member_id: key.memberId,
    name: key.name,
    scopes: key.scopes,
    prefix: key.prefix,
    created_at: time(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    revoked_at: timeOrNull(key.revokedAt),
    last_used_at: timeOrNull(key.lastUsedAt),
  };
}

export function memberResource(member: Member): MemberResource {
  return {
    id: member.id,
    workspace_id: member.workspaceId,
    email: member.email,
    email_verified: member.emailVerified,
    administers_webhooks: member.administersWebhooks,
    created_at: time(member.createdAt),
  };
}

export function subscriptionResource({ createdAt, ...subscription }: SubscriptionInfo): SubscriptionResource {
  return { ...subscription, created_at: time(createdAt) };
}

export function time(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : time(epochMs);
}
