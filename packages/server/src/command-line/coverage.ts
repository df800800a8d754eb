import type { CoverageResource } from '@trunkline/core';
import { printable } from '../printable.ts';
import type { Call } from './command.ts';

/** Below this, what is missing is there before a person has read the list. */
const WORTH_A_NOTE_MS = 5_000;

/** Says what a look-up by counterpart may lack. */
export function noteMissing({ output }: Pick<Call, 'output'>, coverage: CoverageResource | null): void {
  if (coverage === null) return;
  if (coverage.since !== null)
    output.note(
      `trunkline: messages from before ${printable(coverage.since)} are being added since an upgrade, and may be missing here.`,
    );
  if (coverage.delay_ms >= WORTH_A_NOTE_MS)
    output.note(
      `trunkline: messages of the last ${Math.ceil(coverage.delay_ms / 1000)} s may be missing here: try again in a moment.`,
    );
}
