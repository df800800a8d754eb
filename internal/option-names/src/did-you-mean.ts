import { closestMatch } from 'leven';

/**
 * The number of wrong letters allowed in a short name. It is 2, because two swapped letters count as two, and `medai`
 * must still be recognised.
 */
const WRONG_LETTERS = 2;
/** The share of wrong letters allowed in a longer name. */
const WRONG_SHARE = 1 / 3;

/** The name that `name` resembles, or undefined. */
export function resembling(name: string, names: readonly string[]): string | undefined {
  const maxDistance = Math.max(WRONG_LETTERS, Math.floor(name.length * WRONG_SHARE));
  const inLowerCase = new Map(names.map((known) => [known.toLowerCase(), known]));
  const closest = closestMatch(name.toLowerCase(), [...inLowerCase.keys()], { maxDistance });
  return closest === undefined ? undefined : inLowerCase.get(closest);
}

/** Returns `Did you mean "media"?` if one of the names resembles `name`; otherwise lists the names. */
export function didYouMean(name: string, names: readonly string[]): string {
  const meant = resembling(name, names);
  return meant === undefined ? `Known are: ${names.join(', ')}.` : `Did you mean "${meant}"?`;
}
