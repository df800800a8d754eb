import { orderOfId } from '../domain/id.ts';
import type { ChatCoverage } from '../ports/storage/chat-store.ts';
import { timestampOrNull } from './time.ts';

/** What a look-up by counterpart may lack. An addition of ours, beyond the specification. */
export interface CoverageResource {
  /** Messages from before this time are being added since an upgrade, and may be missing; null if all are there. */
  readonly since: string | null;
  /** For how long the oldest new message has waited that is not there yet; 0 if none is missing. In milliseconds. */
  readonly delay_ms: number;
}

export function coverageResource({ coversFrom, missingFrom }: ChatCoverage, now: number): CoverageResource {
  const timeOf = (id: string): number => Math.min(now, orderOfId('msg', id).ms);
  return {
    since: timestampOrNull(coversFrom === null ? null : timeOf(coversFrom)),
    delay_ms: missingFrom === null ? 0 : now - timeOf(missingFrom),
  };
}
