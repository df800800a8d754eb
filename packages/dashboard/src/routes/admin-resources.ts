import type { ApiKeyInfo, Member, SubscriptionInfo, Workspace } from '@trunkline/core';
import { timestamp, timestampOrNull } from '@trunkline/core/spi/http';
import type {
  KeyResource,
  MemberResource,
  SubscriptionResource,
  WorkspaceResource,
} from '../schemas/admin.ts';

/** `numbers` counts each workspace's numbers; 0 if missing. */
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
    suspended_at: timestampOrNull(workspace.suspendedAt),
    messages_days: workspace.retention?.messagesDays ?? null,
    created_at: timestamp(workspace.createdAt),
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
    created_at: timestamp(key.createdAt),
    expires_at: timestampOrNull(key.expiresAt),
    revoked_at: timestampOrNull(key.revokedAt),
    last_used_at: timestampOrNull(key.lastUsedAt),
  };
}

export function memberResource(member: Member): MemberResource {
  return {
    id: member.id,
    workspace_id: member.workspaceId,
    email: member.email,
    email_verified: member.emailVerified,
    administers_webhooks: member.administersWebhooks,
    created_at: timestamp(member.createdAt),
  };
}

export function subscriptionResource({ createdAt, ...subscription }: SubscriptionInfo): SubscriptionResource {
  return { ...subscription, created_at: timestamp(createdAt) };
}
