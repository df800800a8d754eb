import { initAuthCreds } from '@whiskeysockets/baileys';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { decodeValue, encodeValue } from './json-value.ts';
import { namePages } from './session-values.ts';
import type { SessionValues } from './session-values.ts';

export const CREDENTIALS = 'creds';

/**
 * The credentials of the linked device, or new ones to pair with. With credentials of an unfinished pairing, the
 * network would refuse every login, so they are erased with all other data of that pairing.
 */
export async function readCredentials(values: SessionValues): Promise<AuthenticationCreds> {
  const bytes = values.resident.get(CREDENTIALS);
  const stored = bytes && decodeValue<AuthenticationCreds>(bytes);
  if (stored && isPaired(stored)) return stored;
  for await (const names of namePages(values, ''))
    await erase(
      values,
      names.filter((name) => name !== CREDENTIALS),
    );
  await erase(values, bytes ? [CREDENTIALS] : []);
  return initAuthCreds();
}

async function erase(values: SessionValues, names: readonly string[]): Promise<void> {
  await values.save(new Map(names.map((name) => [name, null])));
}

/** Stores credentials, but only after a phone has accepted them. */
export async function saveCredentials(values: SessionValues, creds: AuthenticationCreds): Promise<void> {
  if (isPaired(creds)) await values.save(new Map([[CREDENTIALS, encodeValue(creds)]]));
}

/** Whether a phone has signed the credentials. `me` proves nothing, because requesting a pairing code sets it. */
export function isPaired({ account }: Pick<AuthenticationCreds, 'account'>): boolean {
  return account !== undefined && account !== null;
}
