import type { Capability } from './instance.ts';
import type { NumberLookup } from './number-lookup.ts';

/** The states in which a chat can be shown the instance. `paused` ends both of the others. */
export const TYPING_STATES = ['typing', 'recording', 'paused'] as const;
export type TypingState = (typeof TYPING_STATES)[number];

/** A person or a group, as networks address them. */
export interface ChatAddress {
  /** The digits of a number, or the network's id of a group; may be empty if there is a `contactNetworkId`. */
  readonly to: string;
  readonly isGroup: boolean;
  /** The network's id of the person, if it is known. */
  readonly contactNetworkId?: string | null;
}

/**
 * A request to the open connection of an instance. It is carried out now or not at all: it is never queued, and forgotten
 * with its response.
 */
export type InstanceCall =
  | { readonly kind: 'typing'; readonly chat: ChatAddress; readonly state: TypingState }
  /** Asks whether these numbers, in digits, are on the network. */
  | { readonly kind: 'lookup'; readonly numbers: readonly string[] }
  /** Blocks a person, or no longer. */
  | { readonly kind: 'block'; readonly person: ChatAddress; readonly isBlocked: boolean };

/** The capability that each kind of call needs has its name. */
export type CallCapability = Extract<Capability, InstanceCall['kind']>;
export const CALL_CAPABILITIES: readonly CallCapability[] = ['typing', 'lookup', 'block'];

/** The outcome of a call. */
export type CallResponse =
  | {
      readonly kind: 'done';
      /** The result of a lookup: one for each different number. */
      readonly numbers?: readonly NumberLookup[];
    }
  /** Nothing was done, because the instance has done this too often. `limit` is how often it may. */
  | { readonly kind: 'limited'; readonly limit: number; readonly retryAfterMs: number }
  | { readonly kind: 'not_connected' }
  /** The network refused or failed; `error` says why. */
  | { readonly kind: 'failed'; readonly error: string };
