import type { Lease } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Batcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

interface SignOfLife {
  readonly lease: Lease;
  readonly now: number;
}

/** Signs of life of many instances that arrive together share one statement. */
export function signsOfLife(connected: Connected): Batcher<SignOfLife, void> {
  return createBatcher({
    max: 5_000,
    inFlight: 1,
    async run(signs) {
      await connected().run(
        SEEN,
        signs.map(({ lease }) => uuidToFind('ins', lease.instanceId)),
        signs.map(({ lease }) => encodeText(lease.owner)),
        signs.map(({ lease }) => lease.epoch),
        signs.map(({ now }) => now),
      );
      return signs.map(() => ({ status: 'fulfilled', value: undefined }));
    },
  });
}

// Locks in id order, so that concurrent statements cannot deadlock.
const SEEN = `
  WITH seen AS (
    SELECT id, owner, epoch, max(seen_at) AS seen_at
    FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS sign (id, owner, epoch, seen_at)
    GROUP BY id, owner, epoch
  ), held AS MATERIALIZED (
    SELECT instances.id, seen.seen_at FROM trunkline.instances
    JOIN seen ON instances.id = seen.id AND lease_owner = seen.owner AND lease_epoch = seen.epoch
    WHERE instances.id = ANY ($1::uuid[]) AND (last_seen_at IS NULL OR last_seen_at < seen.seen_at)
    ORDER BY instances.id
    FOR UPDATE OF instances
  )
  UPDATE trunkline.instances SET last_seen_at = held.seen_at
  FROM held
  WHERE instances.id = held.id`;
