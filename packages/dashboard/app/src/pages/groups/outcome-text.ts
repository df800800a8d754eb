import type { ParticipantResultResource } from '@trunkline/http/client';
import { phoneText } from '../../domain/phone-text.ts';
import { useTexts } from '../../texts/language.tsx';

/** A function that says the outcome for a participant in a sentence. */
export function useOutcomeText(): (result: ParticipantResultResource) => string {
  const t = useTexts('groups');
  return ({ participant, outcome, reason }) => {
    const who = /^\d+$/u.test(participant) ? phoneText(participant) : participant;
    const said = t.outcomes[outcome](who);
    return reason === null ? said : `${said} ${reason}`;
  };
}
