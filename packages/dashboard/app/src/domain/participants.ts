import type { GroupPersonResource, ParticipantResultResource } from '@trunkline/http/client';
import { nameText } from './name-text.ts';
import { phoneText } from './phone-text.ts';

/** The numbers and ids in a text that was typed or pasted, one a line or separated by commas. */
export function splitParticipants(text: string): readonly string[] {
  return text
    .split(/[\n,;]/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Names a person in requests; null for someone who cannot be named. */
export function participantOf({ phone_number, contact_id }: GroupPersonResource): string | null {
  return phone_number ?? contact_id;
}

export function personText({ phone_number, contact_id, name }: GroupPersonResource): string {
  const address = phone_number === null ? (contact_id ?? '–') : phoneText(phone_number);
  return nameText(name) ?? address;
}

/** The results in which the person is not what was asked for. */
export function failedResults(
  results: readonly ParticipantResultResource[],
): readonly ParticipantResultResource[] {
  return results.filter(({ outcome }) => ['invitation_needed', 'not_found', 'refused'].includes(outcome));
}
