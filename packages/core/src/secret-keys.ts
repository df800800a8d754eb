const SECRET_KEY_LENGTH = 32;
const HOW_TO_MAKE_ONE =
  'Make one with `openssl rand -base64 32`, keep it outside the database, and give the same one at every start.';

/** The keys of the installation: the first seals. Throws a TypeError that says how to make one, and repeats none. */
export function checkSecretKeys(
  secretKey: string | readonly (string | undefined)[] | undefined,
): readonly string[] {
  const [first, ...former] = Array.isArray(secretKey) ? (secretKey as readonly unknown[]) : [secretKey];
  if (first === undefined || first === null || first === '') {
    throw new TypeError(`createTrunkline: the option "secretKey" is missing. ${HOW_TO_MAKE_ONE}`);
  }
  // A configuration without a former key may still name the variable that it would be in.
  const keys = [first, ...former.filter((key) => key !== undefined && key !== '')];
  return [...new Set(keys.map(checkSecretKey))];
}

function checkSecretKey(key: unknown): string {
  if (typeof key === 'string' && key.length >= SECRET_KEY_LENGTH) return key;
  const why =
    typeof key === 'string'
      ? `one of ${SECRET_KEY_LENGTH} characters at least is needed`
      : `it must be a string, or a list of them, and has a ${typeof key}`;
  throw new TypeError(`createTrunkline: the option "secretKey" is wrong: ${why}. ${HOW_TO_MAKE_ONE}`);
}
