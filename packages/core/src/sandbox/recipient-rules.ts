import type { ParticipantResult } from '../domain/instance/group-request.ts';

/** The behaviour of the sandbox network for a message, by the last digits of its recipient (docs/sandbox.md). */
export type RecipientRule =
  | 'refuse'
  | 'no_response'
  | { readonly receipts: readonly ('delivered' | 'read')[]; readonly replies: boolean };

export function recipientRule(to: string, isGroup: boolean): RecipientRule {
  if (isGroup) return READ_BY_ALL;
  return RULES[to.slice(-4)] ?? READ_BY_ALL;
}

/** Whether a person can be added to a group, by the last digits of their number (docs/sandbox.md). */
export function admissionRule(person: string): 'admit' | 'no_response' | ParticipantResult {
  return ADMISSION[person.slice(-4)] ?? 'admit';
}

const ADMISSION: Readonly<Record<string, 'no_response' | ParticipantResult>> = {
  '0003': { outcome: 'not_found' },
  '0004': 'no_response',
  '0006': { outcome: 'invitation_needed' },
  '0007': { outcome: 'refused', reason: 'The person has lately left the group.' },
};

const READ_BY_ALL: RecipientRule = { receipts: ['delivered', 'read'], replies: false };

const RULES: Readonly<Record<string, RecipientRule>> = {
  '0001': { receipts: [], replies: false },
  '0002': { receipts: ['read'], replies: false },
  '0003': 'refuse',
  '0004': 'no_response',
  '0005': { receipts: ['delivered', 'read'], replies: true },
};
