import { roomInLane, startsAfter, startsSetBack, throttledUntil } from '@trunkline/core/spi/storage';
import type {
  CancellationReason,
  Delivery,
  DeliveryClaim,
  LaneLimits,
  LanePosition,
} from '@trunkline/core/spi/storage';
import { takeTokens } from './claim-tokens.ts';
import { cancellationOf, sweepAgain } from './cancellation.ts';
import type { Database } from '../database/database.ts';
import { FIRST_DUE_AT, openSlot, queueDelivery, unqueueDelivery } from './lane.ts';
import { BYTES, bytes, integer, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** A delivery that holds a slot of its endpoint. */
export interface Claim {
  readonly endpointId: string;
  readonly slot: number;
  readonly deliveryId: string;
  readonly token: number;
  /** The generation of the lane in which the delivery was queued. */
  readonly generation: number;
  readonly lostClaims: number;
}

interface Lane {
  readonly endpointId: string;
  readonly generation: number;
  readonly starts: readonly number[];
}

/** Claims deliveries from the lanes that have been ready the longest. */
export function claimFromLanes(database: Database, claim: ClaimOf): readonly Claim[] {
  applyLimits(database, claim);
  // Relies on lanes_to_wake. Each of these lanes has something to claim, so `limit` lanes are enough.
  const ready = database.all(
    'SELECT * FROM lanes WHERE wake_at <= ? AND is_paused = 0 ORDER BY wake_at, endpoint_id LIMIT ?',
    claim.now,
    claim.limit,
  );
  if (ready.length === 0) return [];
  const nextToken = takeTokens(database, claim.limit);
  const claims: Claim[] = [];
  for (const row of ready) {
    const limit = claim.limit - claims.length;
    if (limit === 0) break;
    claims.push(...claimFromLane(database, readLane(row), { ...claim, limit, nextToken }));
  }
  return claims;
}

/** After the clock was set back, treats claims and starts with later times as if they were made now. */
export function takeAsOfNow(database: Database, claim: DeliveryClaim): void {
  const { now, leaseMs, slots } = claim;
  // Relies on claims_by_end.
  database.run('UPDATE claims SET expires_at = ? WHERE expires_at > ?', now + leaseMs, now + leaseMs);
  for (const row of database.all('SELECT * FROM lanes WHERE ready_from > ?', now)) {
    const lane = readLane(row);
    const isFull = freeSlots(database, lane.endpointId, slots).length === 0;
    const starts = startsSetBack(lane.starts, now);
    writeLane(database, { ...lane, starts }, { ...claim, isFull });
  }
}

export function hasReadyLane(database: Database, now: number): boolean {
  // Relies on lanes_to_wake.
  return database.get('SELECT 1 FROM lanes WHERE wake_at <= ? AND is_paused = 0 LIMIT 1', now) !== undefined;
}

/** When a claim will next find work if nothing changes, but not before `now`; null if never. */
export function nextClaimAt(database: Database, now: number): number | null {
  // Relies on lanes_to_wake and claims_by_end.
  const lane = database.get(
    'SELECT wake_at FROM lanes WHERE wake_at IS NOT NULL AND is_paused = 0 ORDER BY wake_at LIMIT 1',
  );
  const claim = database.get(
    `SELECT expires_at FROM claims WHERE ${IN_OPEN_LANE} ORDER BY expires_at LIMIT 1`,
  );
  if (!lane && !claim) return null;
  const wakeAt = lane ? integer(lane, 'wake_at') : Infinity;
  const expiresAt = claim ? integer(claim, 'expires_at') : Infinity;
  return Math.max(now, Math.min(wakeAt, expiresAt));
}

/**
 * Leaves out the claims of paused lanes. Such claims stay until their lane resumes, but are few, because a lane has at
 * most one per slot.
 */
const IN_OPEN_LANE =
  'NOT EXISTS (SELECT 1 FROM lanes WHERE lanes.endpoint_id = claims.endpoint_id AND is_paused = 1)';

/** Makes the deliveries of expired claims due again, in the generation of the claim. Returns their number. */
export function takeBackExpired(database: Database, now: number): number {
  // Relies on claims_by_end.
  const expired = database.all(`SELECT * FROM claims WHERE expires_at <= ? AND ${IN_OPEN_LANE}`, now);
  return takeBack(database, expired, now);
}

/**
 * Makes the deliveries of these claims due again, whether or not the claims have expired. Returns the number of claims.
 */
export function takeBack(database: Database, rows: readonly Row[], now: number): number {
  for (const row of rows) {
    const claim = readClaim(row);
    endClaim(database, claim);
    queueDelivery(database, { ...claim, dueAt: now, lostClaims: claim.lostClaims + 1 });
  }
  return rows.length;
}

/** Also returns the claim of a cancelled delivery, because its request may still be in flight. */
export function findClaim(database: Database, endpointId: string, deliveryId: string): Claim | null {
  const row = database.get(
    'SELECT * FROM claims WHERE endpoint_id = ? AND delivery_id = ?',
    endpointId,
    deliveryId,
  );
  return row ? readClaim(row) : null;
}

/** The deliveries that hold a slot of this endpoint. */
function claimedAt(database: Database, endpointId: string): ReadonlySet<string> {
  const rows = database.all('SELECT delivery_id FROM claims WHERE endpoint_id = ?', endpointId);
  return new Set(rows.map((row) => text(row, 'delivery_id')));
}

export function lanePosition(
  database: Database,
  { id, endpointId }: Pick<Delivery, 'id' | 'endpointId'>,
): LanePosition {
  const lane = database.get('SELECT * FROM lanes WHERE endpoint_id = ?', endpointId);
  const entry = database.get('SELECT due_at FROM due WHERE delivery_id = ?', id);
  return {
    dueAt: entry ? integer(entry, 'due_at') : null,
    claims: claimedAt(database, endpointId).size,
    starts: lane ? readLane(lane).starts : [],
  };
}

/**
 * Deletes the claim, which frees its slot. Returns the reason if the delivery was cancelled after it was claimed;
 * otherwise null.
 */
export function endClaim(database: Database, claim: Claim): CancellationReason | null {
  const { endpointId, generation, slot } = claim;
  database.run('DELETE FROM claims WHERE endpoint_id = ? AND slot = ?', endpointId, slot);
  openSlot(database, endpointId);
  const reason = cancellationOf(database, endpointId, generation);
  if (reason) sweepAgain(database, endpointId, generation);
  return reason;
}

/** Takes a queued or claimed delivery out of its lane. */
export function removeFromLane(database: Database, endpointId: string, deliveryId: string): void {
  unqueueDelivery(database, endpointId, deliveryId);
  const claim = findClaim(database, endpointId, deliveryId);
  if (claim) endClaim(database, claim);
}

type ClaimOf = DeliveryClaim & { readonly process: number };

interface LaneClaim extends ClaimOf {
  readonly nextToken: () => number;
}

function claimFromLane(database: Database, lane: Lane, claim: LaneClaim): readonly Claim[] {
  const { now, leaseMs } = claim;
  const { endpointId, generation } = lane;
  const free = freeSlots(database, endpointId, claim.slots);
  const room = roomInLane({ starts: lane.starts, claims: claim.slots - free.length }, claim, now);
  // Relies on the primary key of `due`.
  const entries = database.all(
    `SELECT delivery_id, lost_claims FROM due
     WHERE endpoint_id = ? AND generation = ? AND due_at <= ?
     ORDER BY due_at, delivery_id
     LIMIT ?`,
    endpointId,
    generation,
    now,
    Math.min(claim.limit, room),
  );
  const claims = entries.map((entry, index): Claim => {
    const deliveryId = text(entry, 'delivery_id');
    const lostClaims = integer(entry, 'lost_claims');
    const [slot, token] = [free[index] ?? -1, claim.nextToken()];
    database.run('DELETE FROM due WHERE delivery_id = ?', deliveryId);
    database.insert('claims', {
      endpoint_id: endpointId,
      slot,
      delivery_id: deliveryId,
      token,
      generation,
      lost_claims: lostClaims,
      expires_at: now + leaseMs,
      process: claim.process,
    });
    return { endpointId, slot, deliveryId, token, generation, lostClaims };
  });
  const starts = startsAfter(lane.starts, claims.length, claim, now);
  writeLane(database, { ...lane, starts }, { ...claim, isFull: claims.length === free.length });
  return claims;
}

/** Writes the lane's starts and the times that follow from them under these limits. */
function writeLane(database: Database, lane: Lane, limits: LaneLimits & { readonly isFull: boolean }): void {
  const { endpointId, starts } = lane;
  // Lets lanes that were ready before this lane's last start come first.
  const readyFrom = Math.max(throttledUntil(starts, limits), starts.at(-1) ?? 0);
  const isFull = Number(limits.isFull);
  database.run(
    `UPDATE lanes
     SET starts = ${BYTES}, ready_from = ?, is_full = ?, wake_at = iif(?, NULL, max(?, ${FIRST_DUE_AT}))
     WHERE endpoint_id = ?`,
    new Uint8Array(Float64Array.from(starts).buffer),
    readyFrom,
    isFull,
    isFull,
    readyFrom,
    endpointId,
  );
}

/** Recomputes the times of all lanes if the limits have changed. */
function applyLimits(database: Database, claim: DeliveryClaim): void {
  const limits = JSON.stringify([claim.slots, claim.startsPerWindow, claim.windowMs]);
  if (database.run('UPDATE lane_limits SET limits = ? WHERE limits <> ?', limits, limits) === 0) return;
  for (const row of database.all('SELECT * FROM lanes')) {
    const lane = readLane(row);
    const isFull = freeSlots(database, lane.endpointId, claim.slots).length === 0;
    writeLane(database, lane, { ...claim, isFull });
  }
}

function freeSlots(database: Database, endpointId: string, slots: number): readonly number[] {
  const held = database
    .all('SELECT slot FROM claims WHERE endpoint_id = ?', endpointId)
    .map((row) => integer(row, 'slot'));
  const all = Array.from({ length: slots }, (_, slot) => slot);
  // If the number of slots was reduced, more slots may be held than exist.
  return all.filter((slot) => !held.includes(slot)).slice(0, Math.max(0, slots - held.length));
}

function readLane(row: Row): Lane {
  return {
    endpointId: text(row, 'endpoint_id'),
    generation: integer(row, 'generation'),
    starts: [...new Float64Array(bytes(row, 'starts').slice().buffer)],
  };
}

function readClaim(row: Row): Claim {
  return {
    endpointId: text(row, 'endpoint_id'),
    slot: integer(row, 'slot'),
    deliveryId: text(row, 'delivery_id'),
    token: integer(row, 'token'),
    generation: integer(row, 'generation'),
    lostClaims: integer(row, 'lost_claims'),
  };
}
