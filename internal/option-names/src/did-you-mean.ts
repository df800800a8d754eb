import { closestMatch } from 'leven';

/** Two letters that have changed places count as two that are wrong: `medai` must still be recognised. */
const WRONG_LETTERS = 2;
/** The share of wrong letters in a longer name. */
const WRONG_SHARE = 1 / 3;

/** The name that this one resembles, if it does. */
export function resembling(name: string, names: readonly string[]): string | undefined {
  const maxDistance = Math.max(WRONG_LETTERS, Math.floor(name.length * WRONG_SHARE));
  // Letter case is ignored.
  const inLowerCase = new Map(names.map((known) => [known.toLowerCase(), known]));
  const closest = closestMatch(name.toLowerCase(), [...inLowerCase.keys()], { maxDistance });
  return closest === undefined ? undefined : inLowerCase.get(closest);
}

/** `Did you mean "media"?` when one of the names resembles this one, else the names there are. */
export function didYouMean(name: string, names: readonly string[]): string {
  const meant = resembling(name, names);
  return meant === undefined ? `Known are: ${names.join(', ')}.` : `Did you mean "${meant}"?`;
}
