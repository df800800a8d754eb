import { isId, parsePhoneNumber } from '@trunkline/core/spi/http';

const NUMBERS_THAT_BEGIN_SO = /^\+?([1-9]\d{0,14})\*$/;

/** The recipients that `SendingRules.to` allows. */
export interface Counterparts {
  /** Phone numbers in digits, ids of groups and ids of contacts. */
  readonly exact: ReadonlySet<string>;
  /** The beginnings of allowed phone numbers, in digits. */
  readonly beginnings: readonly string[];
}

/** The flaw in an entry of `SendingRules.to`, worded to follow the entry; undefined if the entry is valid. */
export function flawInCounterpart(entry: string): string | undefined {
  if (NUMBERS_THAT_BEGIN_SO.test(entry) || parsePhoneNumber(entry).ok) return undefined;
  if (isId('grp', entry) || isId('con', entry)) return undefined;
  return 'is not a phone number, nor a beginning of phone numbers such as +4930*, nor the id of a group or a contact';
}

/** Reads the entries of `SendingRules.to`, which must be valid. */
export function counterpartsOf(entries: readonly string[]): Counterparts {
  const exact = new Set<string>();
  const beginnings: string[] = [];
  for (const entry of entries) {
    const beginning = NUMBERS_THAT_BEGIN_SO.exec(entry)?.[1];
    if (beginning === undefined) exact.add(canonical(entry) ?? entry);
    else beginnings.push(beginning);
  }
  return { exact, beginnings };
}

/**
 * Whether a message may be sent to this recipient, the `to` of a message. A contact is allowed only by its own id,
 * because its number may change.
 */
export function isAllowedCounterpart({ exact, beginnings }: Counterparts, to: string): boolean {
  const recipient = canonical(to);
  if (recipient === null) return false;
  return exact.has(recipient) || beginnings.some((digits) => recipient.startsWith(digits));
}

/** Reads `to` as the service does: an id unchanged, a number in digits. Null if `to` is invalid. */
function canonical(to: string): string | null {
  if (to.startsWith('grp_') || to.startsWith('con_')) return to;
  const number = parsePhoneNumber(to);
  return number.ok ? number.digits : null;
}
