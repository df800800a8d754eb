import type { LearnedVersion } from '../client-versions.ts';
import { decodeValue, encodeValue } from './json-value.ts';
import type { SessionValues } from './session-values.ts';

export const LEARNED_VERSION = 'client-version';

/** The version of WhatsApp Web with which the instance connected last, unless that was Baileys' own. */
export function readLearnedVersion({ resident }: Pick<SessionValues, 'resident'>): LearnedVersion | null {
  const bytes = resident.get(LEARNED_VERSION);
  return bytes ? decodeValue<LearnedVersion>(bytes) : null;
}

/** Stores the version, so that a restarted process begins with it. */
export async function saveLearnedVersion(values: SessionValues, learned: LearnedVersion): Promise<void> {
  const stored = readLearnedVersion(values);
  if (stored?.version.join() === learned.version.join()) return;
  await values.save(new Map([[LEARNED_VERSION, encodeValue(learned)]]));
}
