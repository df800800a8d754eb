import type { Storage } from '../../src/index.ts';

/** Lets the storage write each outcome of a webhook with `complete`, which a test can then replace. */
export function completingAlone(storage: Storage): Storage {
  const { deliveries } = storage;
  deliveries.completeAndClaim = async (completions, claim) => {
    const completed = await Promise.all(
      completions.map(async (completion) =>
        (await deliveries.complete([completion], claim.now)) > 0
          ? ('written' as const)
          : ('claim_lost' as const),
      ),
    );
    return { ...(await deliveries.claim(claim)), completed };
  };
  return storage;
}
