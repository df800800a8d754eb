import type { ApiKeyInfo, Member, Workspace } from '@trunkline/core';
import { timestampOrNull } from '@trunkline/core/spi/http';

// The JSON output of the administration commands: names and times as in the API.

export function workspaceResult(workspace: Workspace): object {
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
    suspended_at: time(workspace.suspendedAt),
    messages_days: workspace.retention?.messagesDays ?? null,
    created_at: time(workspace.createdAt),
  };
}

export function keyResult(key: ApiKeyInfo): object {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    member_id: key.memberId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: time(key.createdAt),
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    last_used_at: time(key.lastUsedAt),
  };
}

export function memberResult(member: Member): object {
  return {
    id: member.id,
    workspace_id: member.workspaceId,
    email: member.email,
    email_verified: member.emailVerified,
    administers_webhooks: member.administersWebhooks,
    created_at: time(member.createdAt),
  };
}

/** Formats a time as the API does. */
export function time(epochMs: number | null): string | null {
  return timestampOrNull(epochMs);
}
