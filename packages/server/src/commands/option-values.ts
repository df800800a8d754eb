import type { Plan } from '@trunkline/core';
import type {
  JoinDecisionInput,
  MessageQuery,
  MessageResource,
  ParticipantsInput,
  TrunklineClient,
  WebhookResource,
} from '@trunkline/http/client';

// The closed lists of option values that `@trunkline/core/spi/http` does not export. The compiler checks the lists
// against the types of the API.

export const SUBSCRIPTIONS: readonly Plan['subscription'][] = namesIn({
  active: true,
  trial: true,
  past_due: true,
  none: true,
});

export const ORIGINS: readonly NonNullable<MessageQuery['origin']>[] = namesIn({ device: true, any: true });

export const WEBHOOK_STATUSES: readonly WebhookResource['status'][] = namesIn({
  enabled: true,
  disabled: true,
});

/** The statuses that `send` can wait for, in their order. */
export const GOALS: readonly Extract<MessageResource['status'], 'queued' | 'sent' | 'delivered' | 'read'>[] =
  ['queued', 'sent', 'delivered', 'read'];

type SendInput = Parameters<TrunklineClient['messages']['send']>[0];

/** The kinds to send that are finer than a type. */
export const FINER_KINDS: readonly Extract<SendInput, { readonly kind: string }>['kind'][] = namesIn({
  location: true,
  contact: true,
  poll: true,
  sticker: true,
});

export const PARTICIPANT_CHANGES: readonly ParticipantsInput['change'][] = namesIn({
  add: true,
  remove: true,
  promote: true,
  demote: true,
});

export const JOIN_DECISIONS: readonly JoinDecisionInput['decision'][] = namesIn({
  approve: true,
  reject: true,
});

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const YES_OR_NO = ['yes', 'no'] as const;

function namesIn<Name extends string>(names: Readonly<Record<Name, true>>): readonly Name[] {
  return Object.keys(names) as Name[]; // no other keys
}
