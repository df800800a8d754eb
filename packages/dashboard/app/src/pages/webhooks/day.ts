import type { AttemptCounts, WebhookTrafficResource } from '@trunkline/http/client';

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The attempts of an hour. */
export interface Slot {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly succeeded: number;
  /** Attempts that the receiver refused: it responded, but not with 2xx. */
  readonly refused: number;
  /** Attempts without a response. */
  readonly unanswered: number;
  /** By the code of the failure. */
  readonly failed: AttemptCounts['failed'];
  readonly p50: number | null;
  readonly p95: number | null;
}

/** The last 24 hours, oldest first, also those without attempts. */
export function slotsOf({ to, periods }: Pick<WebhookTrafficResource, 'to' | 'periods'>): readonly Slot[] {
  const counted = new Map(periods.map((period) => [Date.parse(period.start), period]));
  return Array.from({ length: HOURS }, (_, index) => {
    const from = Date.parse(to) - (HOURS - index) * HOUR_MS;
    return slotOf(from, counted.get(from));
  });
}

function slotOf(from: number, counts: AttemptCounts | undefined): Slot {
  const failed = counts?.failed ?? {};
  return {
    from,
    succeeded: counts?.succeeded ?? 0,
    refused: countOf(failed, isResponse),
    unanswered: countOf(failed, (code) => !isResponse(code)),
    failed,
    p50: counts?.duration.p50_ms ?? null,
    p95: counts?.duration.p95_ms ?? null,
  };
}

function countOf(failed: AttemptCounts['failed'], isCounted: (code: string) => boolean): number {
  return Object.entries(failed).reduce((sum, [code, count]) => sum + (isCounted(code) ? count : 0), 0);
}

function isResponse(code: string): boolean {
  return code.startsWith('HTTP_') || code === 'REDIRECT';
}
