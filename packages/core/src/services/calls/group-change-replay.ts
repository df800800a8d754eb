import type { CallResponse, GroupCall, GroupCallResult } from '../../domain/instance/instance-call.ts';

/** The response to a change of a group whose idempotency key was used before. */
export function replayOf(
  { fingerprint, outcome }: { readonly fingerprint: string; readonly outcome: string | null },
  key: GroupCall['key'],
): CallResponse {
  if (fingerprint !== key?.fingerprint) return { kind: 'key_reused' };
  if (outcome === null)
    return {
      kind: 'unknown',
      error: 'An earlier request with this Idempotency-Key has no outcome, or none yet',
    };
  return { kind: 'done', group: JSON.parse(outcome) as GroupCallResult, isReplay: true }; // as the call answerer wrote it
}
