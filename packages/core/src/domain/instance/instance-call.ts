import type { ChatAddress } from './chat-address.ts';
import type { Capability } from './instance.ts';
import type { GroupRefusal, GroupRequest, GroupRole, ParticipantResult } from './group-request.ts';
import type { NumberLookup } from './number-lookup.ts';

/** The states in which a chat can be shown the instance. `paused` ends both of the others. */
export const TYPING_STATES = ['typing', 'recording', 'paused'] as const;
export type TypingState = (typeof TYPING_STATES)[number];

/**
 * A request to the open connection of an instance. It is carried out now or not at all: it is never queued, and forgotten
 * with its response.
 */
export type InstanceCall =
  | { readonly kind: 'typing'; readonly chat: ChatAddress; readonly state: TypingState }
  /** Asks whether these numbers, in digits, are on the network. */
  | { readonly kind: 'lookup'; readonly numbers: readonly string[] }
  /** Blocks a person, or no longer. */
  | { readonly kind: 'block'; readonly person: ChatAddress; readonly isBlocked: boolean }
  | GroupCall;

/** Asks about a group, or changes one. */
export interface GroupCall {
  readonly kind: 'group_admin';
  /** `opr_…` */
  readonly id: string;
  readonly request: GroupRequest;
  /** The idempotency key of a change, with the digest of its request; null if it has none. */
  readonly key: { readonly key: string; readonly fingerprint: string } | null;
}

/** The capability that each kind of call needs has its name. */
export type CallCapability = Extract<Capability, InstanceCall['kind']>;
export const CALL_CAPABILITIES: readonly CallCapability[] = ['typing', 'lookup', 'block', 'group_admin'];

/** The outcome of a call. */
export type CallResponse =
  | {
      readonly kind: 'done';
      /** The result of a lookup: one for each different number. */
      readonly numbers?: readonly NumberLookup[];
      readonly group?: GroupCallResult;
      /** True if an earlier call with the same idempotency key did it. */
      readonly isReplay?: boolean;
    }
  /** Nothing was done, because the instance has done this too often. `limit` is how often it may. */
  | { readonly kind: 'limited'; readonly limit: number; readonly retryAfterMs: number }
  | { readonly kind: 'not_connected' }
  /** The network will not do this, however often it is asked. */
  | { readonly kind: 'refused'; readonly reason: GroupRefusal }
  /** The idempotency key was used for another request. */
  | { readonly kind: 'key_reused' }
  /** The network may have done this or not; `error` says why that is unknown. */
  | { readonly kind: 'unknown'; readonly error: string }
  /** Nothing was done, because the network or the gateway failed; `error` says why. */
  | { readonly kind: 'failed'; readonly error: string };

/** The result of a call about a group. Each request has the parts that it asks for. */
export interface GroupCallResult {
  /** The id of the group that was created or joined; null if an admin has yet to let the number in. */
  readonly groupId?: string | null;
  readonly description?: {
    readonly description: string | null;
    readonly members: readonly (GroupPerson & { readonly role: GroupRole; readonly isSelf: boolean })[];
  };
  /** A result for each participant of the request, in this order. */
  readonly participants?: readonly ParticipantResult[];
  readonly invite?: string;
  readonly joinRequests?: readonly (GroupPerson & { readonly requestedAt: number | null })[];
}

/** A person in a group, or at its door. */
export interface GroupPerson {
  /** Digits; null if the network hides them. */
  readonly phoneNumber: string | null;
  /** The id of the contact, if the number is hidden. */
  readonly contactId: string | null;
  readonly name: string | null;
}

/** The response of a connection without the method for a call, although its gateway declares the capability. */
export const NO_METHOD: CallResponse = {
  kind: 'failed',
  error: 'its gateway declares this, and has no method for it',
};
