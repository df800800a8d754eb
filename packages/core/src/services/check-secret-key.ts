import type { ServiceContext } from './context.ts';

const NAME = 'secret_key_check';
const KNOWN = 'trunkline';

/** Rejects when the database was set up with another `secretKey`: what is sealed in it could not be opened. */
export async function checkSecretKey({ storage, sealer }: ServiceContext): Promise<void> {
  const sealed = await storage.setting(NAME, sealer.sealText(KNOWN, NAME));
  try {
    sealer.openText(sealed, NAME);
  } catch {
    throw new Error('The secretKey is not the one that this database was set up with.');
  }
}
