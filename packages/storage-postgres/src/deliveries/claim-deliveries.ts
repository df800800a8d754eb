import type {
  ClaimedDelivery,
  CompletionResult,
  DeliveryClaim,
  DeliveryClaimResult,
  DeliveryStore,
} from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { endDamaged } from './damaged-deliveries.ts';
import { endClaims, writeEnded } from './delivery-completion.ts';
import type { Report } from './delivery-completion.ts';
import { claimFromLanes, isWhole, readClaimed } from './lane-claims.ts';
import { lookAtLanes, nextClaimAfter, nextClaimAt } from './lane-outlook.ts';
import type { Outlook } from './lane-outlook.ts';
import type { Row } from '../rows/row.ts';

export function claimDeliveries(connected: Connected): Pick<DeliveryStore, 'claim' | 'completeAndClaim'> {
  const claim = async (given: DeliveryClaim): Promise<DeliveryClaimResult> => {
    const database = connected();
    const outlook = await lookAtLanes(database, given);
    const firstAt = nextClaimAt(outlook, given.now);
    // Usually there is nothing to claim, and no transaction is needed.
    if (firstAt !== given.now && given.mayBeSetBack !== true) return { claimed: [], nextAt: firstAt };
    const claim = { ...given, process: database.process(), outlook, hasReleased: false };
    const claims = await database.transactionAtOnce((transaction) => claimDue(transaction, claim));
    return endingDamaged(given, claims);
  };

  /** Ends damaged deliveries after their claim, which commits with its last statement. */
  const endingDamaged = async (
    given: DeliveryClaim,
    { damaged, ...result }: DueClaims,
  ): Promise<DeliveryClaimResult> => {
    if (damaged.length === 0) return result;
    const database = connected();
    const ended = await database.transaction((transaction) => endDamaged(transaction, damaged, given.now));
    const outlook = await lookAtLanes(database, given);
    return { ...result, ...ended, nextAt: nextClaimAfter(outlook, given.now, false) };
  };

  return {
    claim,
    completeAndClaim: async (completions, given) => {
      const { transactionAtOnce, process } = connected();
      const reports = completions.map((completion) => ({ completion, now: given.now }));
      const { completed, claims } = await transactionAtOnce((transaction) =>
        completeAndClaim(transaction, reports, { ...given, process: process() }),
      );
      const result = claims ? await endingDamaged(given, claims) : await claim(given);
      return { ...result, completed };
    },
  };
}

interface ProcessClaim extends DeliveryClaim {
  readonly process: number;
}

/**
 * Writes outcomes, and claims. `claims` is null if the claim needs a transaction of its own, because it may have to wait
 * for lanes. This transaction, which has locked some lanes, waits for no other, or two of them could wait for each other.
 */
async function completeAndClaim(
  transaction: Transaction,
  reports: readonly Report[],
  claim: ProcessClaim,
): Promise<{
  readonly completed: readonly CompletionResult[];
  readonly claims: DueClaims | null;
}> {
  const claims = await endClaims(transaction, reports, { waits: false });
  const hasReleased = claims.ended.length > 0;
  const look = (): Promise<Outlook> => lookAtLanes(transaction, claim);
  const outlook = hasReleased
    ? (await transaction.together(() => writeEnded(transaction, claims), look))[1]
    : await look();
  const written = new Set(claims.ended.map(({ report }) => report));
  const completed = reports.map((report): CompletionResult => {
    if (claims.busy.has(report)) return 'busy';
    return written.has(report) ? 'written' : 'claim_lost';
  });
  if (outlook.hasOtherLimits || claim.mayBeSetBack === true) return { completed, claims: null };
  const firstAt = nextClaimAt(outlook, claim.now);
  if (firstAt !== claim.now) return { completed, claims: { claimed: [], damaged: [], nextAt: firstAt } };
  return { completed, claims: await claimDue(transaction, { ...claim, outlook, hasReleased }) };
}

interface DueClaim extends ProcessClaim {
  readonly outlook: Outlook;
  /** Whether this transaction has released slots. */
  readonly hasReleased: boolean;
}

interface DueClaims {
  readonly claimed: readonly ClaimedDelivery[];
  /** Claimed rows for which `isWhole` is false. */
  readonly damaged: readonly Row[];
  readonly nextAt: number | null;
}

async function claimDue(transaction: Transaction, claim: DueClaim): Promise<DueClaims> {
  const { rows, hasTakenBack, outlook } = await claimFromLanes(transaction, claim);
  const nextAt = nextClaimAfter(outlook, claim.now, rows.length === claim.limit);
  // The limit leaves some of the deliveries that this transaction has made claimable.
  if ((hasTakenBack || claim.hasReleased) && nextAt === claim.now)
    transaction.announce({ topic: 'deliveries' });
  return {
    claimed: rows.filter(isWhole).map(readClaimed),
    damaged: rows.filter((row) => !isWhole(row)),
    nextAt,
  };
}
