import { takeRetryBatch } from '../../domain/delivery/retry-round.ts';
import { queuedEventDue } from '../../domain/subscription/event-subscription.ts';
import type { EventSubscription } from '../../domain/subscription/event-subscription.ts';
import type {
  ClaimedEvent,
  EventClaim,
  EventClaimKey,
  EventClaimResult,
  EventCompletion,
  SubscriptionCounts,
  SubscriptionStore,
} from '../../ports/storage/subscription-store.ts';
import type { WaitsStep } from '../../ports/storage/waits-step.ts';
import { compare } from './order.ts';
import { keyOf } from './state.ts';
import type { QueuedEvent, State } from './state.ts';

export class MemorySubscriptionStore implements SubscriptionStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async register(subscription: EventSubscription): Promise<EventSubscription> {
    const known = this.#named(subscription.name);
    const { eventTypes } = subscription;
    const stored = structuredClone(known ? { ...known, eventTypes } : subscription);
    this.#state.subscriptions.set(stored.id, stored);
    return structuredClone(stored);
  }

  async list(countUpTo: number): Promise<readonly SubscriptionCounts[]> {
    const subscriptions = [...this.#state.subscriptions.values()];
    return subscriptions
      .toSorted((a, b) => compare(a.name, b.name))
      .map((subscription) => ({
        subscription: structuredClone(subscription),
        waiting: Math.min(this.#waiting(subscription.id).length, countUpTo),
        exhausted: Math.min(this.#exhausted(subscription.id).length, countUpTo),
      }));
  }

  async delete(name: string): Promise<boolean> {
    const subscription = this.#named(name);
    return subscription ? this.#state.subscriptions.delete(subscription.id) : false;
  }

  async claim(claim: EventClaim): Promise<EventClaimResult | null> {
    const { subscriptionId, eventTypes, now, limit, leaseMs } = claim;
    if (!this.#state.subscriptions.has(subscriptionId)) return null;
    const types: readonly string[] = eventTypes;
    const inOrder = (): readonly WaitingEvent[] =>
      this.#waiting(subscriptionId)
        .filter(({ eventType }) => types.includes(eventType))
        .toSorted((a, b) => compare(a.dueAt, b.dueAt) || compare(a.eventId, b.eventId));

    const due = inOrder().filter(({ dueAt }) => dueAt <= now);
    const claimed = due.slice(0, limit).map((queued) => this.#take(queued, now + leaseMs));
    const [next] = inOrder();
    return { claimed, nextAt: next ? Math.max(next.dueAt, now) : null };
  }

  shortenWaits({ now, leaseMs }: WaitsStep): void {
    let isChanged = false;
    for (const queued of this.#state.queuedEvents.values()) {
      if (queued.dueAt === null) continue;
      const dueAt = queuedEventDue({ ...queued, dueAt: queued.dueAt }, { leaseMs, now });
      isChanged ||= dueAt !== queued.dueAt;
      queued.dueAt = dueAt;
    }
    if (isChanged) this.#state.signal({ topic: 'subscriptions' });
  }

  async renew(claims: readonly EventClaimKey[], until: number): Promise<void> {
    for (const claim of claims) {
      const queued = this.#claimed(claim);
      if (queued) queued.dueAt = until;
    }
  }

  async complete(completions: readonly EventCompletion[]): Promise<number> {
    return completions.filter((completion) => this.#completeOne(completion)).length;
  }

  async retryFailedEvents(
    name: string,
    batch: { readonly limit: number; readonly countUpTo: number; readonly now: number },
  ): Promise<{ readonly requeued: number; readonly remaining: number } | null> {
    const subscription = this.#named(name);
    if (!subscription) return null;
    const { limit, countUpTo, now } = batch;
    const exhausted = this.#exhausted(subscription.id)
      .toSorted(
        (a, b) =>
          compare(a.exhaustedAt ?? -Infinity, b.exhaustedAt ?? -Infinity) || compare(a.eventId, b.eventId),
      )
      .slice(0, limit + countUpTo);
    const rounds = this.#state.eventRetryRounds;
    const { chosen, remaining, round } = takeRetryBatch(exhausted, {
      limit,
      now,
      round: rounds.get(subscription.id) ?? null,
      failedAt: ({ exhaustedAt }) => exhaustedAt,
    });
    for (const queued of chosen) queued.dueAt = now;
    if (round) rounds.set(subscription.id, round);
    else rounds.delete(subscription.id);
    if (chosen.length > 0) this.#state.signal({ topic: 'subscriptions' });
    return { requeued: chosen.length, remaining };
  }

  sweepDeleted(limit: number): number {
    const orphans = [...this.#state.queuedEvents]
      .filter(([, { subscriptionId }]) => !this.#state.subscriptions.has(subscriptionId))
      .slice(0, limit);
    for (const [key] of orphans) this.#state.queuedEvents.delete(key);
    return orphans.length;
  }

  #take(queued: WaitingEvent, leaseEnd: number): ClaimedEvent {
    const { subscriptionId, eventId, attempts } = queued;
    const event = this.#state.events.get(eventId);
    if (!event) throw new Error(`${eventId} was queued, but it is gone.`);
    // If a token remains, its claim has expired.
    if (queued.token !== null) queued.lostClaims += 1;
    const token = (this.#state.lastToken += 1);
    queued.token = token;
    queued.dueAt = leaseEnd;
    return {
      subscriptionId,
      event: structuredClone(event),
      traceparent: this.#state.traceparents.get(eventId) ?? null,
      token,
      attempts,
      lostClaims: queued.lostClaims,
    };
  }

  /** False if the claim was lost. */
  #completeOne(completion: EventCompletion): boolean {
    const queued = this.#claimed(completion);
    if (!queued || !this.#state.subscriptions.has(queued.subscriptionId)) return false;
    const { outcome } = completion;
    if (outcome.kind === 'handled') {
      return this.#state.queuedEvents.delete(keyOf(queued.subscriptionId, queued.eventId));
    }
    queued.token = null;
    queued.lostClaims = 0;
    queued.attempts = outcome.attempts;
    queued.dueAt = outcome.kind === 'queued' ? outcome.dueAt : null;
    queued.exhaustedAt = outcome.kind === 'exhausted' ? outcome.failedAt : null;
    return true;
  }

  #claimed({ subscriptionId, eventId, token }: EventClaimKey): QueuedEvent | null {
    const queued = this.#state.queuedEvents.get(keyOf(subscriptionId, eventId));
    return queued?.token === token ? queued : null;
  }

  #waiting(subscriptionId: string): readonly WaitingEvent[] {
    return this.#queuedFor(subscriptionId).filter((queued) => queued.dueAt !== null) as WaitingEvent[]; // just filtered
  }

  #exhausted(subscriptionId: string): readonly QueuedEvent[] {
    return this.#queuedFor(subscriptionId).filter((queued) => queued.dueAt === null);
  }

  #queuedFor(subscriptionId: string): readonly QueuedEvent[] {
    return [...this.#state.queuedEvents.values()].filter(
      (queued) => queued.subscriptionId === subscriptionId,
    );
  }

  #named(name: string): EventSubscription | undefined {
    return [...this.#state.subscriptions.values()].find((subscription) => subscription.name === name);
  }
}

type WaitingEvent = QueuedEvent & { dueAt: number };
