import { cancelledBy, mayRetry, requeue, withinSchedule } from '../../domain/delivery/delivery-state.ts';
import { isOpen } from '../../domain/delivery/delivery.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { takeRetryBatch } from '../../domain/delivery/retry-round.ts';
import type { LanePosition } from '../../domain/delivery/waiting.ts';
import type { LaneLimits } from '../../domain/delivery/lane.ts';
import { healthAfter } from '../../domain/endpoint/endpoint-state.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { Event } from '../../domain/event/event.ts';
import { floorId } from '../../domain/id.ts';
import type {
  DeliveryClaimResult,
  ClaimedDelivery,
  Completion,
  DeliveryClaim,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryStore,
  RetryResult,
} from '../../ports/storage/delivery-store.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import { storeEventFor } from './event-fan-out.ts';
import type { DueEntry, Lane, LaneClaim } from './lane.ts';
import { byId, compare } from './order.ts';
import { pageOf } from './page.ts';
import { isLanePaused } from './postponement.ts';
import type { DeliveryRecord, State } from './state.ts';

export class MemoryDeliveryStore implements DeliveryStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async enqueue(endpointId: string, event: Event): Promise<Delivery | null> {
    const endpoint = this.#enabled(event.workspaceId, endpointId);
    if (!endpoint) return null;
    const delivery = storeEventFor(this.#state, endpoint, event);
    this.#state.signal({ topic: 'deliveries' });
    return structuredClone(delivery);
  }

  async claim(claim: DeliveryClaim): Promise<DeliveryClaimResult> {
    if (claim.mayBeSetBack)
      for (const lane of this.#state.lanes.values()) lane.setBack(claim.now, claim.leaseMs);
    const takenBack = this.#lanes().map((lane) => lane.takeBackExpired(claim.now));
    const nextToken = (): number => (this.#state.lastToken += 1);
    const claimed: ClaimedDelivery[] = [];
    for (const lane of this.#lanesAwake(claim)) {
      const taken = lane.claim({ ...claim, limit: claim.limit - claimed.length, nextToken });
      claimed.push(...taken.map((laneClaim) => this.#claimed(lane, laneClaim)));
    }
    const nextAt = this.#nextAt(claim);
    if (takenBack.some((count) => count > 0) && nextAt === claim.now)
      this.#state.signal({ topic: 'deliveries' });
    return { claimed, nextAt };
  }

  async complete(completions: readonly Completion[], now: number): Promise<number> {
    const written = completions.filter((completion) => this.#completeOne(completion, now));
    const lanes = written.map(({ delivery }) => this.#state.lanes.get(delivery.endpointId));
    // A slot was freed: another delivery can be claimed, unless the throttle forbids it.
    if (lanes.some((lane) => lane?.hasDue(now) && !isLanePaused(this.#state, lane.endpointId)))
      this.#state.signal({ topic: 'deliveries' });
    return written.length;
  }

  shortenWaits(now: number): void {
    const lanes = [...this.#state.lanes.values()];
    const changed = lanes.flatMap((lane) =>
      lane.waiting(now).filter((entry) => this.#shorten(lane, entry, now)),
    );
    if (changed.length > 0) this.#state.signal({ topic: 'deliveries' });
  }

  async findDetail(workspaceId: string, id: string, since: number): Promise<DeliveryDetail | null> {
    const record = this.#record(workspaceId, id, since);
    if (!record) return null;
    const delivery = readDelivery(this.#state, record);
    return {
      delivery,
      attempts: structuredClone(record.attempts),
      payload: this.#payload(delivery),
      endpointUrl: this.#endpointUrl(delivery.endpointId),
      lane: this.#lanePosition(delivery),
    };
  }

  async list(
    workspaceId: string,
    endpointId: string,
    filter: DeliveryFilter,
    page: PageRequest,
    since: number,
  ): Promise<Page<Delivery>> {
    const { status, eventType } = filter;
    const rows = this.#deliveriesOf(workspaceId, endpointId, since).filter(
      (delivery) =>
        (status === undefined || delivery.status === status) &&
        (eventType === undefined || delivery.eventType === eventType),
    );
    return pageOf(rows, page);
  }

  async listOfEvent(
    workspaceId: string,
    { id }: Pick<Event, 'id'>,
    since: number,
  ): Promise<readonly Delivery[]> {
    const floor = floorId('whd', since);
    return [...this.#state.deliveries.values()]
      .filter(({ delivery }) => delivery.workspaceId === workspaceId && delivery.eventId === id)
      .map((record) => readDelivery(this.#state, record))
      .filter((delivery) => delivery.id >= floor)
      .toSorted(byId);
  }

  async retry(workspaceId: string, id: string, now: number, since: number): Promise<RetryResult> {
    const record = this.#record(workspaceId, id, since);
    if (!record) return { kind: 'not_found' };
    const delivery = readDelivery(this.#state, record);
    if (!this.#enabled(workspaceId, delivery.endpointId) || !this.#mayRetry(delivery))
      return { kind: 'not_allowed' };
    const requeued = this.#requeue(delivery, now);
    this.#state.signal({ topic: 'deliveries' });
    return { kind: 'requeued', delivery: requeued };
  }

  async retryFailedDeliveries(
    workspaceId: string,
    endpointId: string,
    batch: {
      readonly limit: number;
      readonly countUpTo: number;
      readonly now: number;
      readonly since: number;
    },
  ): Promise<{ readonly requeued: number; readonly remaining: number } | null> {
    const { limit, countUpTo, now, since } = batch;
    const lane = this.#state.lanes.get(endpointId);
    if (!this.#enabled(workspaceId, endpointId) || !lane) return null;
    this.#sweep(lane, limit + countUpTo);
    const candidates = this.#deliveriesOf(workspaceId, endpointId, since)
      .filter(({ id }) => this.#isEnded(id))
      .toSorted((a, b) => compare(a.lastAttemptAt ?? -1, b.lastAttemptAt ?? -1) || byId(a, b));
    const { chosen, remaining, round } = takeRetryBatch(candidates.slice(0, limit + countUpTo), {
      limit,
      now,
      round: lane.retryRound,
      failedAt: ({ lastAttemptAt }) => lastAttemptAt,
    });
    for (const delivery of chosen) this.#requeue(delivery, now);
    lane.retryRound = round;
    if (chosen.length > 0) this.#state.signal({ topic: 'deliveries' });
    return { requeued: chosen.length, remaining };
  }

  async sweepClosed(limit: number): Promise<number> {
    let swept = 0;
    for (const lane of this.#state.lanes.values()) swept += this.#sweep(lane, limit - swept);
    return swept;
  }

  #endpointUrl(id: string): string | null {
    const endpoint = this.#state.endpoints.get(id) ?? this.#state.deletedEndpoints.get(id);
    return endpoint?.url ?? null;
  }

  #shorten(lane: Lane, entry: DueEntry, now: number): boolean {
    const record = this.#state.deliveries.get(entry.deliveryId);
    const within = record && withinSchedule(record.delivery, entry.dueAt, now);
    if (!record || !within) return false;
    lane.reschedule({ ...entry, dueAt: within.dueAt });
    record.delivery = { ...record.delivery, nextRetryAt: within.nextRetryAt };
    return true;
  }

  #sweep(lane: Lane, limit: number): number {
    const entries = lane.sweep(limit);
    for (const { deliveryId, reason } of entries) {
      const record = this.#state.deliveries.get(deliveryId);
      if (record) record.delivery = cancelledBy(reason, record.delivery);
    }
    return entries.length;
  }

  /** Whether the delivery is stored as failed or exhausted. */
  #isEnded(id: string): boolean {
    const record = this.#state.deliveries.get(id);
    return record !== undefined && mayRetry(record.delivery);
  }

  /** The lanes that claims consider: lanes of a postponed workspace are left out. */
  #lanes(): readonly Lane[] {
    return [...this.#state.lanes.values()].filter(({ endpointId }) => !isLanePaused(this.#state, endpointId));
  }

  #lanesAwake(claim: DeliveryClaim): readonly Lane[] {
    return this.#lanes()
      .flatMap((lane) => {
        const wakeAt = lane.wakeAt(claim);
        return wakeAt === null || wakeAt > claim.now ? [] : [{ lane, since: lane.waitsSince(wakeAt) }];
      })
      .toSorted((a, b) => compare(a.since, b.since) || compare(a.lane.endpointId, b.lane.endpointId))
      .map(({ lane }) => lane);
  }

  #nextAt(limits: LaneLimits & { readonly now: number }): number | null {
    const times = this.#lanes().flatMap((lane) => [lane.wakeAt(limits), lane.firstExpiry()]);
    const next = Math.min(...times.map((time) => time ?? Infinity));
    return next === Infinity ? null : Math.max(next, limits.now);
  }

  #claimed(lane: Lane, { deliveryId, token, lostClaims }: LaneClaim): ClaimedDelivery {
    const record = this.#state.deliveries.get(deliveryId);
    const endpoint = this.#state.endpoints.get(lane.endpointId);
    if (!record || !endpoint) throw new Error(`${deliveryId} was queued, but it or its endpoint is gone.`);
    return {
      delivery: structuredClone(record.delivery),
      token,
      lostClaims,
      payload: this.#payload(record.delivery),
      traceparent: this.#state.traceparents.get(record.delivery.eventId) ?? null,
      endpoint: {
        url: endpoint.url,
        sealedSecret: endpoint.sealedSecret,
        traceContext: endpoint.traceContext,
      },
    };
  }

  /** False if the claim was lost. */
  #completeOne(completion: Completion, now: number): boolean {
    const { delivery, attempt, token } = completion;
    const record = this.#state.deliveries.get(delivery.id);
    const lane = record && this.#state.lanes.get(record.delivery.endpointId);
    const claim = lane?.release(delivery.id, token);
    if (!record || !lane || !claim) return false;

    const reason = lane.cancellationOf(claim.generation);
    record.delivery = structuredClone(reason ? cancelledBy(reason, delivery) : delivery);
    record.attempts.push(structuredClone(attempt));
    if (isOpen(record.delivery.status)) lane.queue(delivery.id, record.delivery.nextRetryAt ?? now);
    this.#keepHealth(completion, record.delivery);
    return true;
  }

  #keepHealth(completion: Completion, written: Delivery): void {
    const endpoint = this.#state.endpoints.get(written.endpointId);
    if (!endpoint) return;
    const { delivery, attempt } = completion;
    const health = healthAfter(endpoint.health, { delivery, attempt, written });
    this.#state.endpoints.set(endpoint.id, { ...endpoint, health });
  }

  #mayRetry(delivery: Delivery): boolean {
    // A cancelled delivery may still be claimed, because its request is in flight.
    return mayRetry(delivery) && !this.#state.lanes.get(delivery.endpointId)?.isClaimed(delivery.id);
  }

  #requeue(delivery: Delivery, now: number): Delivery {
    const record = this.#state.deliveries.get(delivery.id);
    const lane = this.#state.lanes.get(delivery.endpointId);
    if (!record || !lane) throw new Error(`${delivery.id} is gone.`);
    // Remove the delivery from the closed generation, which may not be swept yet.
    lane.remove(delivery.id);
    lane.queue(delivery.id, now);
    record.generation = lane.generation;
    record.delivery = requeue(delivery);
    return structuredClone(record.delivery);
  }

  #record(workspaceId: string, id: string, since: number): DeliveryRecord | null {
    const record = this.#state.deliveries.get(id);
    return record?.delivery.workspaceId === workspaceId && id >= floorId('whd', since) ? record : null;
  }

  #deliveriesOf(workspaceId: string, endpointId: string, since: number): readonly Delivery[] {
    const floor = floorId('whd', since);
    return [...this.#state.deliveries.values()]
      .filter(({ delivery }) => delivery.endpointId === endpointId && delivery.workspaceId === workspaceId)
      .filter(({ delivery }) => delivery.id >= floor)
      .map((record) => readDelivery(this.#state, record));
  }

  #lanePosition(delivery: Delivery): LanePosition | null {
    if (!isOpen(delivery.status)) return null;
    return this.#state.lanes.get(delivery.endpointId)?.position(delivery.id) ?? null;
  }

  #payload(delivery: Delivery): string {
    const event = this.#state.events.get(delivery.eventId);
    if (!event) throw new Error(`The event of ${delivery.id} is gone.`);
    return event.payload;
  }

  #enabled(workspaceId: string, endpointId: string): Endpoint | null {
    const endpoint = this.#state.endpoints.get(endpointId);
    return endpoint?.workspaceId === workspaceId && endpoint.status === 'enabled' ? endpoint : null;
  }
}

/** The delivery as read: a cancelled delivery counts as failed, even if not written as such yet. */
export function readDelivery(state: State, record: DeliveryRecord): Delivery {
  const { delivery, generation } = record;
  const reason = isOpen(delivery.status) && state.lanes.get(delivery.endpointId)?.cancellationOf(generation);
  return structuredClone(reason ? cancelledBy(reason, delivery) : delivery);
}
