import * as z from 'zod';
import type { Result } from '../../domain/result.ts';
import { ok } from '../../domain/result.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { keepLookUps } from '../kept-look-ups.ts';

/** How long a lookup may be reused; the same as for API keys. */
const KEPT_MS = 5_000;
const KEPT_MAX = 10_000;

const token = z.object({ id: z.string().min(1).max(100), until: z.int().min(0) });

export interface SpentTokens {
  spend(id: string, until: number): Promise<Result<boolean>>;
  isSpent(id: string, options?: { readonly fresh?: boolean }): Promise<boolean>;
}

export function createSpentTokens({
  storage,
  clock,
}: Pick<ServiceContext, 'storage' | 'clock'>): SpentTokens {
  const known = keepLookUps<boolean>({
    lookUp: (id) => storage.spentTokens.isSpent(id),
    isWorthKeeping: () => true,
    maxAgeMs: KEPT_MS,
    max: KEPT_MAX,
  });
  return {
    async spend(id, until) {
      const read = readInput(token, { id, until });
      if (!read.ok) return read;
      const isFirst = await storage.spentTokens.spend(id, until);
      known.forget(id);
      return ok(isFirst);
    },
    isSpent: (id, options) => known.find(id, clock.now(), options),
  };
}
