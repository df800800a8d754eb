/** The behaviour of the sandbox network for a message, by the last digits of its recipient (docs/sandbox.md). */
export type RecipientRule =
  | 'refuse'
  | 'no_response'
  | { readonly receipts: readonly ('delivered' | 'read')[]; readonly replies: boolean };

export function recipientRule(to: string, isGroup: boolean): RecipientRule {
  if (isGroup) return READ_BY_ALL;
  return RULES[to.slice(-4)] ?? READ_BY_ALL;
}

const READ_BY_ALL: RecipientRule = { receipts: ['delivered', 'read'], replies: false };

const RULES: Readonly<Record<string, RecipientRule>> = {
  '0001': { receipts: [], replies: false },
  '0002': { receipts: ['read'], replies: false },
  '0003': 'refuse',
  '0004': 'no_response',
  '0005': { receipts: ['delivered', 'read'], replies: true },
};
