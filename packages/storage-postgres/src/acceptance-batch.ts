import type { Acceptance, AcceptanceResult } from '@trunkline/core/spi/storage';
import { createBatcher } from './batcher.ts';
import type { Batcher } from './batcher.ts';
import type { Connected, Database, Transaction } from './database.ts';
import { acceptMessages } from './message-acceptance.ts';
import { isLockTimeout } from './pool.ts';
import { doTogether } from './together.ts';
import { storeUnhindered } from './unhindered-acceptance.ts';

/**
 * Group commit: acceptances that come together are one statement and one flush of the server's disk. Those of one
 * instance keep the order of their calls.
 */
export function acceptanceBatcher(connected: Connected): Batcher<Acceptance, AcceptanceResult> {
  return createBatcher({
    max: 500,
    inFlight: 2,
    keyOf: ({ message }) => message.instanceId,
    run: (acceptances) => acceptTogether(connected(), acceptances),
  });
}

type Settled = PromiseSettledResult<AcceptanceResult>;
type Outcome = Settled | Promise<AcceptanceResult>;

const ACCEPTED: Settled = { status: 'fulfilled', value: { kind: 'accepted' } };

/** How long acceptances wait together for what one of them needs; longer than a message being sent holds a lock. */
const LOCK_TIMEOUT = '50ms';

/** First what nothing stands in the way of, which goes on to the next batch then; then the others. */
async function acceptTogether(
  database: Database,
  acceptances: readonly Acceptance[],
): Promise<readonly Outcome[]> {
  const how = { skipLocked: true, lockTimeout: LOCK_TIMEOUT };
  const stored = await storeUnhindered(database.all, acceptances, how);
  const others = acceptances.filter(({ message }) => !stored.has(message.instanceId));
  const judged = judgeOthers(database, others);
  return acceptances.map((acceptance) =>
    stored.has(acceptance.message.instanceId)
      ? ACCEPTED
      : judged.then(async (outcomes) => valueOf(await outcomes.get(acceptance))),
  );
}

/** What takes a closer look: several statements in a transaction, or waiting. */
async function judgeOthers(
  database: Database,
  acceptances: readonly Acceptance[],
): Promise<ReadonlyMap<Acceptance, Outcome>> {
  const outcomes = new Map<Acceptance, Outcome>(acceptances.map((acceptance) => [acceptance, ACCEPTED]));
  // In a transaction, which ends with its connection: what gives up waiting must not be stored later on.
  const stored = await storeUnhindered(
    (...statement) => database.transaction(({ all }) => all(...statement)),
    acceptances,
    { skipLocked: false, lockTimeout: LOCK_TIMEOUT },
  );
  const others = acceptances.filter(({ message }) => !stored.has(message.instanceId));
  const judged = others.length === 0 ? [] : await doTogether(database, others, judgeSoon);
  const locked: Acceptance[] = [];
  for (const [index, acceptance] of others.entries()) {
    const outcome = judged[index] ?? ACCEPTED;
    if (outcome.status === 'rejected' && isLockTimeout(outcome.reason)) locked.push(acceptance);
    else outcomes.set(acceptance, outcome);
  }
  // By a transaction of the app's, say, which ends when that likes: no instance waits for what another one needs.
  for (const group of Map.groupBy(locked, ({ message }) => message.instanceId).values()) {
    const waiting = doTogether(database, group, acceptMessages);
    for (const [index, acceptance] of group.entries()) {
      outcomes.set(
        acceptance,
        waiting.then((results) => valueOf(results[index])),
      );
    }
  }
  return outcomes;
}

async function judgeSoon(
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
