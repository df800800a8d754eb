import type { CallResponse } from '../domain/instance/instance-call.ts';
import type { Clock } from '../ports/clock.ts';
import type { Lease } from '../ports/storage/lease.ts';
import { createTokenBucket } from '../runtime/token-bucket.ts';
import type { TokenBucket } from '../runtime/token-bucket.ts';

/** Does something on an instance unless that was done too often. */
export type RateLimit = (lease: Lease, work: () => Promise<CallResponse>) => Promise<CallResponse>;

/** Limits how often each instance does something while this process holds it. */
export function createRateLimit(
  clock: Clock,
  { perMinute, burst }: { readonly perMinute: number; readonly burst: number },
): RateLimit {
  const buckets = new WeakMap<Lease, TokenBucket>();
  return async (lease, work) => {
    const bucket = buckets.get(lease) ?? createTokenBucket({ burst, everyMs: 60_000 / perMinute });
    buckets.set(lease, bucket);
    const now = clock.now();
    if (!bucket.has(now)) return { kind: 'limited', limit: perMinute, retryAfterMs: bucket.nextAt() - now };
    bucket.take(now);
    return work();
  };
}
