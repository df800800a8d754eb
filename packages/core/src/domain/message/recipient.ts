import { refuse, ok } from '../result.ts';
import type { Result } from '../result.ts';

export type Recipient =
  { readonly kind: 'number'; readonly digits: string } | { readonly kind: 'group'; readonly groupId: string };

/** With white space and dashes of every kind, as numbers that are pasted bring them. */
const FORMATTING = /[+().\s\p{Dash}]/gu;
/** A trunk prefix is dialled within its country alone: with it, or with its digit left in, the number is another one. */
const TRUNK_PREFIX = /\(\s*0\s*\)/;
/** E.164: at most 15 digits, and no country code starts with 0. */
const NUMBER = /^[1-9][0-9]{6,14}$/;

/** Reads `to`: a group id, or a phone number with the usual formatting characters. */
export function parseRecipient(to: string): Result<Recipient> {
  if (to.startsWith('grp_')) return ok({ kind: 'group', groupId: to });
  if (TRUNK_PREFIX.test(to)) {
    return refuse(
      'INVALID_RECIPIENT',
      'The recipient has a (0), which is not dialled after a country code: leave it out.',
    );
  }
  const digits = to.replace(FORMATTING, '');
  return NUMBER.test(digits)
    ? ok({ kind: 'number', digits })
    : refuse(
        'INVALID_RECIPIENT',
        'The recipient must be a phone number of 7 to 15 digits with its country code, or a group id.',
      );
}
