import type { CancellationReason } from '../../domain/delivery/delivery.ts';
import { roomInLane, startsAfter, startsSetBack, throttledUntil } from '../../domain/delivery/lane.ts';
import type { LaneLimits } from '../../domain/delivery/lane.ts';
import type { RetryRound } from '../../domain/delivery/retry-round.ts';
import type { LanePosition } from '../../domain/delivery/waiting.ts';
import type { DeliveryClaim } from '../../ports/storage/delivery-store.ts';
import { compare } from './order.ts';

export interface LaneClaim {
  readonly deliveryId: string;
  readonly token: number;
  /** The generation that the delivery was queued in; a cancellation may have ended the generation since. */
  readonly generation: number;
  readonly expiresAt: number;
  readonly lostClaims: number;
}

export interface DueEntry {
  readonly deliveryId: string;
  readonly dueAt: number;
  readonly lostClaims: number;
}

/**
 * The deliveries queued for one endpoint, and when the endpoint may next be served. A cancellation ends
 * everything queued in one step, by starting the next generation: earlier generations keep their entries,
 * with a reason, until they are swept.
 */
export class Lane {
  readonly endpointId: string;
  #generation = 1;
  readonly #cancellations = new Map<number, CancellationReason>();
  /** Entries by generation, in the order in which they are claimed. */
  readonly #due = new Map<number, DueEntry[]>();
  /** Claims of all generations by delivery id. Each holds a slot. */
  readonly #claims = new Map<string, LaneClaim>();
  /** The start times of the attempts that the throttle counted at the last claim, oldest first. */
  #starts: readonly number[] = [];
  /**
   * The time of the last claim that took something, so that an old backlog does not put this lane before
   * others again.
   */
  #servedAt = 0;
  /** The round of calls that retry all failed deliveries here; null if none is in progress. */
  retryRound: RetryRound | null = null;

  constructor(endpointId: string) {
    this.endpointId = endpointId;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Returns why the deliveries queued in this generation ended; undefined while they are open. */
  cancellationOf(generation: number): CancellationReason | undefined {
    return this.#cancellations.get(generation);
  }

  close(reason: CancellationReason): void {
    this.#cancellations.set(this.#generation, reason);
    this.#generation += 1;
  }

  queue(deliveryId: string, dueAt: number): void {
    this.#insert(this.#generation, { deliveryId, dueAt, lostClaims: 0 });
  }

  position(deliveryId: string): LanePosition {
    const entry = this.#current().find((due) => due.deliveryId === deliveryId);
    return { dueAt: entry?.dueAt ?? null, claims: this.#claims.size, starts: [...this.#starts] };
  }

  isClaimed(deliveryId: string): boolean {
    return this.#claims.has(deliveryId);
  }

  /** Requeues the deliveries of expired claims, each in its generation. Returns how many. */
  takeBackExpired(now: number): number {
    const expired = [...this.#claims.values()].filter(({ expiresAt }) => expiresAt <= now);
    for (const { deliveryId, generation, lostClaims } of expired) {
      this.#claims.delete(deliveryId);
      this.#insert(generation, { deliveryId, dueAt: now, lostClaims: lostClaims + 1 });
    }
    return expired.length;
  }

  /** Corrects times written before the clock was set back to `now`. */
  setBack(now: number, leaseMs: number): void {
    this.#starts = startsSetBack(this.#starts, now);
    this.#servedAt = Math.min(this.#servedAt, now);
    for (const [id, claim] of this.#claims)
      this.#claims.set(id, { ...claim, expiresAt: Math.min(claim.expiresAt, now + leaseMs) });
  }

  waiting(now: number): readonly DueEntry[] {
    return this.#current().filter(({ dueAt }) => dueAt > now);
  }

  reschedule(entry: DueEntry): void {
    this.remove(entry.deliveryId);
    this.#insert(this.#generation, entry);
  }

  hasDue(now: number): boolean {
    const [next] = this.#current();
    return next !== undefined && next.dueAt <= now;
  }

  /** Returns when the next delivery can be claimed; null if the queue is empty or all slots are held. */
  wakeAt(limits: LaneLimits): number | null {
    const [next] = this.#current();
    if (!next || this.#claims.size >= limits.slots) return null;
    return Math.max(next.dueAt, throttledUntil(this.#starts, limits));
  }

  /** When this lane began to wait for a claim. The lane that has waited longest comes first. */
  waitsSince(wakeAt: number): number {
    return Math.max(wakeAt, this.#servedAt);
  }

  /** When the first claim expires; null without claims. */
  firstExpiry(): number | null {
    const ends = Array.from(this.#claims.values(), ({ expiresAt }) => expiresAt);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  claim(claim: DeliveryClaim & { readonly nextToken: () => number }): readonly LaneClaim[] {
    const { now, limit, leaseMs, nextToken } = claim;
    const due = this.#current();
    const firstLater = due.findIndex(({ dueAt }) => dueAt > now);
    const room = roomInLane({ starts: this.#starts, claims: this.#claims.size }, claim, now);
    const count = Math.min(limit, room, firstLater === -1 ? due.length : firstLater);
    if (count <= 0) return [];

    const claims = due.splice(0, count).map(({ deliveryId, lostClaims }) => {
      const generation = this.#generation;
      return { deliveryId, token: nextToken(), generation, expiresAt: now + leaseMs, lostClaims };
    });
    for (const taken of claims) this.#claims.set(taken.deliveryId, taken);
    this.#starts = startsAfter(this.#starts, count, claim, now);
    this.#servedAt = now;
    return claims;
  }

  /** Ends a claim; null if the token is not the claim's. */
  release(deliveryId: string, token: number): LaneClaim | null {
    const claim = this.#claims.get(deliveryId);
    if (claim?.token !== token) return null;
    this.#claims.delete(deliveryId);
    return claim;
  }

  /** Removes up to `limit` entries of closed generations, each with its reason. */
  sweep(limit: number): readonly { readonly deliveryId: string; readonly reason: CancellationReason }[] {
    const swept: { deliveryId: string; reason: CancellationReason }[] = [];
    for (const [generation, reason] of this.#cancellations) {
      const entries = this.#due.get(generation)?.splice(0, limit - swept.length) ?? [];
      swept.push(...entries.map(({ deliveryId }) => ({ deliveryId, reason })));
      if (this.#isEmpty(generation)) this.#cancellations.delete(generation);
    }
    return swept;
  }

  remove(deliveryId: string): void {
    this.#claims.delete(deliveryId);
    for (const [generation, entries] of this.#due) {
      this.#due.set(
        generation,
        entries.filter((entry) => entry.deliveryId !== deliveryId),
      );
    }
  }

  #current(): DueEntry[] {
    return this.#due.get(this.#generation) ?? [];
  }

  #insert(generation: number, entry: DueEntry): void {
    const entries = this.#due.get(generation) ?? [];
    const before = entries.findLastIndex((other) => compareDue(other, entry) < 0);
    entries.splice(before + 1, 0, entry);
    this.#due.set(generation, entries);
  }

  #isEmpty(generation: number): boolean {
    if (this.#due.get(generation)?.length) return false;
    return ![...this.#claims.values()].some((claim) => claim.generation === generation);
  }
}

function compareDue(a: DueEntry, b: DueEntry): number {
  return compare(a.dueAt, b.dueAt) || compare(a.deliveryId, b.deliveryId);
}
