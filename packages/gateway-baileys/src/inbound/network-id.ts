import { createHash } from 'node:crypto';
import { storable } from './storable-text.ts';

/** Longer than any id that a phone makes. */
const LONGEST = 128;

/**
 * The stored form of a message's id. The sender chooses the id, so a long one is replaced with its digest, which still
 * identifies a repeat.
 */
export function networkIdOf(id: string | null | undefined): string {
  const given = storable(id) ?? '';
  return given.length <= LONGEST ? given : createHash('sha256').update(given).digest('hex');
}
