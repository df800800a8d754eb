import type { KeyResource } from '../../../src/schemas/admin.ts';
import type { Tone } from '../components/status-badge.tsx';

export const KEY_STATES = ['active', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Whether a key is accepted at `now` (epoch milliseconds), and if not, why not. */
export function keyState(
  { revoked_at, expires_at }: Pick<KeyResource, 'revoked_at' | 'expires_at'>,
  now: number,
): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}

export const KEY_TONES: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  expired: 'idle',
  revoked: 'idle',
};
