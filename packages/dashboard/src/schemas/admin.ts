import { SCOPES } from '@trunkline/core';
import type { Scope } from '@trunkline/core';
import type {
  KeyResource,
  MemberResource,
  WorkspaceResource as CoreWorkspace,
} from '@trunkline/core/spi/http';
import * as z from 'zod';

// Names are as in the REST API, and times in ISO 8601 (UTC).

export type { KeyResource, MemberResource };

/** A workspace as core describes it, and as the pages of the dashboard list it. */
export interface WorkspaceResource extends CoreWorkspace {
  /** How many numbers the workspace has. */
  readonly numbers: number;
}

/** Oldest first. */
export interface WorkspacePage {
  readonly workspaces: readonly WorkspaceResource[];
  /** The `after` of the next page; null on the last page. */
  readonly next_after: string | null;
}

/** Only the response to a key's creation has the token. */
export interface NewKeyResource extends KeyResource {
  readonly token: string;
}

/** An in-process handler of events. */
export interface SubscriptionResource {
  readonly name: string;
  readonly types: readonly string[];
  /** Counted up to 1,000, as is `exhausted`. */
  readonly waiting: number;
  readonly exhausted: number;
  readonly created_at: string;
}

// Messages that the pages show next to a field.
const NAME = 'Must have 1 to 255 characters.';
const name = z.string(NAME).trim().min(1, NAME).max(255, NAME);
const COUNT = 'Must be a whole number, 0 or more.';
const count = z.int(COUNT).min(0, COUNT);

export const newWorkspace: z.ZodType<{ readonly name: string }, unknown> = z.strictObject({ name });

const plan: z.ZodType<PlanChanges, unknown> = z
  .strictObject({
    subscription: z.enum(['active', 'trial', 'past_due', 'none']),
    instance_limit: count.nullable(),
    trial_message_limit: count.nullable(),
    webhook_limit: count,
  })
  .partial();

interface PlanChanges {
  readonly subscription?: WorkspaceResource['plan']['subscription'] | undefined;
  readonly instance_limit?: number | null | undefined;
  readonly trial_message_limit?: number | null | undefined;
  readonly webhook_limit?: number | undefined;
}

export interface WorkspaceChanges {
  readonly name?: string | undefined;
  readonly plan?: PlanChanges | undefined;
  readonly messages_days?: number | 'forever' | null | undefined;
}

export const workspaceChanges: z.ZodType<WorkspaceChanges, unknown> = z
  .strictObject({
    name,
    plan,
    messages_days: z.union([z.int().min(1).max(36_500), z.literal('forever'), z.null()], {
      error: 'Must be a whole number of days from 1 to 36,500, "forever", or null for what the service says.',
    }),
  })
  .partial();

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly member_id?: string | undefined;
  readonly expires_at?: string | undefined;
}

export const newKey: z.ZodType<NewKey, unknown> = z.strictObject({
  name,
  scopes: z.array(z.enum(SCOPES)).min(1, 'Must name at least one scope.'),
  member_id: z.string().max(64).optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

const EMAIL = 'Must be an email address like ada@example.com, of at most 320 characters.';

const memberFields = z.strictObject({
  email: z.email(EMAIL).max(320, EMAIL),
  email_verified: z.boolean().optional(),
  administers_webhooks: z.boolean().optional(),
});

export interface MemberChanges {
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
  readonly administers_webhooks?: boolean | undefined;
}

export type NewMember = MemberChanges & { readonly email: string };

export const newMember: z.ZodType<NewMember, unknown> = memberFields;
export const memberChanges: z.ZodType<MemberChanges, unknown> = memberFields.partial();

export interface ProcessResource {
  /** The name of the process in the histories of numbers. */
  readonly name: string;
  /** Some of `api`, `gateway`, `webhooks`, `maintenance` and `handlers`. */
  readonly roles: readonly string[];
  readonly started_at: string;
  /** When the process last reported its state, as it does every 30 seconds. */
  readonly reported_at: string;
  /** Whether the process has not reported for more than 75 seconds: it has probably died or hangs. */
  readonly is_silent: boolean;
  /** How many numbers the process holds. */
  readonly held: number;
  /** Null if the runtime does not report vitals. */
  readonly vitals: {
    readonly host: string;
    readonly pid: number;
    readonly runtime: string;
    readonly memory_bytes: number;
    /** The share of the last half minute spent computing, in percent. */
    readonly busy_percent: number;
  } | null;
}

/** The service as a whole. Counts of the workload stop at 10,000. */
export interface SystemResource {
  /** The version of the dashboard. */
  readonly version: string;
  /** The roles of the process that responded. */
  readonly roles: Readonly<Record<'api' | 'gateway' | 'webhooks' | 'maintenance', boolean>>;
  /** At most 500. */
  readonly processes: readonly ProcessResource[];
  readonly storage: {
    /** The name and version, such as `PostgreSQL 17.2`. */
    readonly database: string;
    readonly schema_version: number;
    /** Null for a storage in memory. */
    readonly size_bytes: number | null;
  };
  readonly workload: {
    /** How many instances of each network have each status. */
    readonly instances: Readonly<Record<string, Readonly<Record<string, number>>>>;
    /** Instances that need a process but have none. */
    readonly unheld_instances: number;
    readonly queued_messages: number;
    readonly oldest_queued_message: {
      readonly workspace_id: string;
      readonly instance_id: string;
      readonly message_id: string;
      readonly since: string;
    } | null;
    readonly open_deliveries: number;
    readonly oldest_open_delivery_at: string | null;
    /** When the earliest open delivery became or becomes due. */
    readonly deliveries_due_at: string | null;
    readonly failing_webhooks: number;
    /** Events that an in-process handler has not handled yet. */
    readonly queued_events: number;
    readonly exhausted_events: number;
    readonly pending_downloads: number;
    readonly oldest_event_at: string | null;
  };
}
