import type { ApiKey, Scope } from '../domain/api-key/api-key.ts';
import type { Member, Plan, Workspace } from '../domain/workspace/workspace.ts';
import { timestamp, timestampOrNull } from './time.ts';

// Workspaces, API keys and members as the dashboard and the command line show them to administrators: names and times
// are as in the REST API.

export interface WorkspaceResource {
  readonly id: string;
  readonly name: string;
  readonly plan: {
    readonly subscription: Plan['subscription'];
    /** Null for no limit. */
    readonly instance_limit: number | null;
    readonly trial_message_limit: number | null;
    readonly webhook_limit: number;
  };
  readonly trial_messages_used: number;
  readonly suspended_at: string | null;
  /** How many days messages are kept; null for the service's setting. */
  readonly messages_days: number | 'forever' | null;
  readonly created_at: string;
}

export function workspaceResource({ plan, ...workspace }: Workspace): WorkspaceResource {
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
    suspended_at: timestampOrNull(workspace.suspendedAt),
    messages_days: workspace.retention?.messagesDays ?? null,
    created_at: timestamp(workspace.createdAt),
  };
}

/** Unlike `ApiKeyResource`, which the holder of the key sees, this has the facts of the key's administration. */
export interface KeyResource {
  readonly id: string;
  readonly workspace_id: string;
  /** The member who made the key; null if the service made it. */
  readonly member_id: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The first characters of the token, for recognising the key; null if unknown. */
  readonly prefix: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export function keyResource(key: Omit<ApiKey, 'hash'>): KeyResource {
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

export interface MemberResource {
  readonly id: string;
  readonly workspace_id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly administers_webhooks: boolean;
  readonly created_at: string;
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
