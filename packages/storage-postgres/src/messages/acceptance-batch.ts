import type { Acceptance, AcceptanceResult } from '@trunkline/core/spi/storage';
import { AGAIN, createBatcher } from '../database/batcher.ts';
import type { Batcher } from '../database/batcher.ts';
import type { Connected, Database, Transaction } from '../database/database.ts';
import { acceptMessages } from './message-acceptance.ts';
import { isLockTimeout } from '../database/pool.ts';
import { runBatch } from '../database/batch-transaction.ts';
import { storeUncontended } from './uncontended-acceptance.ts';

/**
 * Group commit: uncontended acceptances that arrive together share one statement and one commit. Acceptances of one
 * instance keep the order of their calls.
 */
export function acceptanceBatcher(connected: Connected): Batcher<Acceptance, AcceptanceResult> {
  const batcher = createBatcher<Waiting, AcceptanceResult>({
    max: 500,
    inFlight: 2,
    keyOf: ({ acceptance }) => acceptance.message.instanceId,
    run: (waiting) => acceptTogether(connected(), waiting),
  });
  return { run: (acceptance) => batcher.run({ acceptance, passes: 0 }) };
}

interface Waiting {
  readonly acceptance: Acceptance;
  /** The number of batches that skipped this acceptance because its queue was locked or missing. */
  passes: number;
}

type Settled = PromiseSettledResult<AcceptanceResult>;
type Outcome = Settled | Promise<AcceptanceResult>;

const ACCEPTED: Settled = { status: 'fulfilled', value: { kind: 'accepted' } };

/**
 * All acceptances of a batch wait for a lock that one of them needs, so the timeout is short. Sending a message holds
 * such a lock for less.
 */
const LOCK_TIMEOUT = '50ms';
/**
 * How many batches may skip an acceptance whose queue is locked. Another process that accepts for the same instance
 * holds the lock for one statement, so the next batch usually finds it free.
 */
const MAX_PASSES = 3;

/**
 * Stores the uncontended acceptances, leaves those whose queue is locked or missing to the next batch (at most
 * MAX_PASSES times), and decides all others.
 */
async function acceptTogether(
  database: Database,
  batch: readonly Waiting[],
): Promise<readonly (Outcome | typeof AGAIN)[]> {
  const acceptances = batch.map(({ acceptance }) => acceptance);
  const how = { skipLocked: true, lockTimeout: LOCK_TIMEOUT };
  const { stored, locked } = await storeUncontended(database.all, acceptances, how);
  const passes = ({ acceptance, passes: before }: Waiting): boolean =>
    before < MAX_PASSES && locked.has(acceptance.message.instanceId);
  const others = batch.filter((one) => !stored.has(one.acceptance.message.instanceId) && !passes(one));
  const decided = decideOthers(
    database,
    others.map(({ acceptance }) => acceptance),
  );
  return batch.map((one) => {
    if (stored.has(one.acceptance.message.instanceId)) return ACCEPTED;
    if (!passes(one)) return decided.then(async (outcomes) => valueOf(await outcomes.get(one.acceptance)));
    one.passes += 1;
    return AGAIN;
  });
}

/** Decides acceptances that take several statements in a transaction, or have to wait for a lock. */
async function decideOthers(
  database: Database,
  acceptances: readonly Acceptance[],
): Promise<ReadonlyMap<Acceptance, Outcome>> {
  const outcomes = new Map<Acceptance, Outcome>(acceptances.map((acceptance) => [acceptance, ACCEPTED]));
  // If the client gives up waiting, closing its connection rolls this transaction back. A statement outside a
  // transaction might still be committed later.
  const { stored } = await storeUncontended(
    (...statement) => database.transaction(({ all }) => all(...statement)),
    acceptances,
    { skipLocked: false, lockTimeout: LOCK_TIMEOUT },
  );
  const others = acceptances.filter(({ message }) => !stored.has(message.instanceId));
  const decided = others.length === 0 ? [] : await runBatch(database, others, acceptSoon);
  const locked: Acceptance[] = [];
  for (const [index, acceptance] of others.entries()) {
    const outcome = decided[index] ?? ACCEPTED;
    if (outcome.status === 'rejected' && isLockTimeout(outcome.reason)) locked.push(acceptance);
    else outcomes.set(acceptance, outcome);
  }
  // A transaction of the app may hold these locks for any length of time, so an acceptance waits only for the lock of
  // its own instance.
  for (const group of Map.groupBy(locked, ({ message }) => message.instanceId).values()) {
    const waiting = runBatch(database, group, acceptMessages);
    for (const [index, acceptance] of group.entries()) {
      outcomes.set(
        acceptance,
        waiting.then((results) => valueOf(results[index])),
      );
    }
  }
  return outcomes;
}

async function acceptSoon(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
): Promise<readonly AcceptanceResult[]> {
  await transaction.run(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  return acceptMessages(transaction, acceptances);
}

function valueOf(outcome: Settled | AcceptanceResult | undefined): AcceptanceResult {
  if (outcome && 'kind' in outcome) return outcome;
  if (outcome?.status === 'fulfilled') return outcome.value;
  throw outcome?.reason;
}
