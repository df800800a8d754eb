import type { ServiceContext } from './context.ts';
import { SECRET_KEY_CHECK } from './sealer.ts';

/** The setting that holds a known text, sealed. */
const SECRET_KEY_SETTING = 'secret_key_check';
const KNOWN = 'trunkline';

/**
 * Rejects if the database was set up, or last resealed, with a key that `secretKey` does not include, because
 * the sealed values could not be opened.
 */
export async function checkSecretKey(context: ServiceContext): Promise<void> {
  const sealed = await secretKeyCheck(context);
  try {
    context.sealer.openText(sealed, SECRET_KEY_CHECK);
  } catch {
    throw new Error(
      'The secretKey is not the one that this database was set up with: what is sealed in it could not be opened. Give that key (SECRET_KEY). To replace it, give both: secretKey: [new, previous] (SECRET_KEY and SECRET_KEY_PREVIOUS).',
    );
  }
}

/** The stored check, which the first process on the database seals and stores. */
function secretKeyCheck({ storage, sealer }: ServiceContext): Promise<string> {
  return storage.setting(SECRET_KEY_SETTING, sealer.sealText(KNOWN, SECRET_KEY_CHECK));
}

/**
 * Seals the check with the first secret key, after which no other key is needed. Returns whether the check
 * was sealed with another key before.
 */
export async function resealSecretKeyCheck(context: ServiceContext): Promise<boolean> {
  const { storage, sealer } = context;
  const resealed = sealer.resealText(await secretKeyCheck(context), SECRET_KEY_CHECK);
  if (resealed === null) return false;
  await storage.replaceSetting(SECRET_KEY_SETTING, resealed);
  return true;
}
