import type { MessageCounts, TrafficResource } from '@trunkline/http/client';
import type { Range } from './search.ts';

type Step = TrafficResource['step'];

const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;

const STEP_MS: Readonly<Record<Step, number>> = { quarter: QUARTER_MS, hour: HOUR_MS, day: DAY_MS };

/** The length and the step of each range: at most 170 periods. */
export const PERIODS_OF: Readonly<Record<Range, { readonly lengthMs: number; readonly step: Step }>> = {
  '1h': { lengthMs: HOUR_MS, step: 'quarter' },
  '24h': { lengthMs: DAY_MS, step: 'quarter' },
  '7d': { lengthMs: 7 * DAY_MS, step: 'hour' },
  '30d': { lengthMs: 30 * DAY_MS, step: 'day' },
};

/** A period of a series; `counts` is null without any. */
export interface Slot<Counts> {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly counts: Counts | null;
}

interface Series<Counts> {
  readonly from: string;
  readonly to: string;
  readonly step: Step;
  readonly periods: readonly ({ readonly start: string } & Counts)[];
}

/** All periods of a series, oldest first, also those that the API leaves out because nothing happened. */
export function slotsOf<Counts>({ from, to, step, periods }: Series<Counts>): readonly Slot<Counts>[] {
  const counted = new Map(periods.map((period) => [Date.parse(period.start), period]));
  const first = Date.parse(from);
  const length = Math.round((Date.parse(to) - first) / STEP_MS[step]);
  return Array.from({ length }, (_, index) => {
    const start = first + index * STEP_MS[step];
    return { from: start, to: start + STEP_MS[step], counts: counted.get(start) ?? null };
  });
}

export function failuresOf({ failed }: Pick<MessageCounts, 'failed'>): number {
  return Object.values(failed).reduce((sum, count) => sum + count, 0);
}

/** The most frequent code of failure and its count; null without failures. */
export function firstFailure(
  failed: MessageCounts['failed'],
): { readonly code: string; readonly count: number } | null {
  const [first] = Object.entries(failed).toSorted(([, a], [, b]) => b - a);
  return first ? { code: first[0], count: first[1] } : null;
}

/**
 * The share of sent messages that were delivered, from 0 to 1; null if none was sent. A message may be delivered in a
 * later period than it was sent in, so a period can have more deliveries: that counts as all of them.
 */
export function deliveredShare({
  sent,
  delivered,
}: Pick<MessageCounts, 'sent' | 'delivered'>): number | null {
  return sent === 0 ? null : Math.min(1, delivered / sent);
}

/** How a period went: badly if most failed, idle if nothing happened. */
export function toneOfCounts(well: number, failed: number): 'good' | 'act' | 'bad' | 'idle' {
  if (failed > well) return 'bad';
  if (failed > 0) return 'act';
  return well > 0 ? 'good' : 'idle';
}
