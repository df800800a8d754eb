import { refuse, ok } from '../result.ts';
import type { Result } from '../result.ts';
import { parsePhoneNumber } from './phone-number.ts';

export type Recipient =
  { readonly kind: 'number'; readonly digits: string } | { readonly kind: 'group'; readonly groupId: string };

/** Reads `to`: a group id, or a phone number with the usual formatting characters. */
export function parseRecipient(to: string): Result<Recipient> {
  if (to.startsWith('grp_')) return ok({ kind: 'group', groupId: to });
  const number = parsePhoneNumber(to);
  return number.ok
    ? ok({ kind: 'number', digits: number.digits })
    : refuse(
        'INVALID_RECIPIENT',
        `The recipient must be a phone number or a group id. A phone number ${number.rule}.`,
      );
}
