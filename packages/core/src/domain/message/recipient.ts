import { ok, refuse } from '../result.ts';
import type { Result } from '../result.ts';

export type Recipient =
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'contact'; readonly contactId: string };

/** Reads `to`: a group id, a contact id, or a phone number with the usual formatting characters. */
export function parseRecipient(to: string): Result<Recipient> {
  if (to.startsWith('grp_')) return ok({ kind: 'group', groupId: to });
  if (to.startsWith('con_')) return ok({ kind: 'contact', contactId: to });
  const number = parsePhoneNumber(to);
  return number.ok
    ? ok({ kind: 'number', digits: number.digits })
    : refuse(
        'INVALID_RECIPIENT',
        `The recipient must be a phone number, a group id or a contact id. A phone number ${number.rule}.`,
      );
}

/**
 * Characters that people write or paste with digits: plus signs, dots, white space and dashes of every kind, and
 * invisible marks (contacts apps put U+202A before a number).
 */
const FORMATTING = /[+.\s\p{White_Space}\p{Dash}\p{Default_Ignorable_Code_Point}]/gu;
const PARENTHESES = /[()]/g;
/** A digit that is dialled only within a country: `+34 (0) 600…` with the 0 would be another number. */
const TRUNK_PREFIX = '(0)';
/** E.164: at most 15 digits, and no country code starts with 0. */
const NUMBER = /^[1-9][0-9]{6,14}$/;

type PhoneNumber =
  | { readonly ok: true; readonly digits: string }
  /** The broken rule, worded to follow "a phone number" in a sentence. */
  | { readonly ok: false; readonly rule: string };

/** Reads a phone number with its formatting characters: 7 to 15 digits, without a trunk prefix in parentheses. */
export function parsePhoneNumber(text: string): PhoneNumber {
  const unspaced = text.replace(FORMATTING, '');
  if (unspaced.includes(TRUNK_PREFIX)) {
    return { ok: false, rule: 'must not have a (0), which is dialled only within its country: leave it out' };
  }
  const digits = unspaced.replace(PARENTHESES, '');
  return NUMBER.test(digits)
    ? { ok: true, digits }
    : { ok: false, rule: 'must have 7 to 15 digits, beginning with the country code' };
}
