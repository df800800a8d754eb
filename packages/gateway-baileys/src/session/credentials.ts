import { initAuthCreds } from '@whiskeysockets/baileys';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { decodeValue, encodeValue } from './json-value.ts';
import type { SessionValues } from './session-values.ts';

const NAME = 'creds';

/**
 * The credentials of the linked device, or new ones to pair with. Those of a pairing that never ended would make the
 * network refuse every login, so they are erased with all that belongs to them.
 */
export async function readCredentials(values: SessionValues): Promise<AuthenticationCreds> {
  const bytes = values.get(NAME);
  const stored = bytes && decodeValue<AuthenticationCreds>(bytes);
  if (stored && isPaired(stored)) return stored;
  await values.save(new Map(values.names('').map((name) => [name, null])));
  return initAuthCreds();
}

/** Credentials are worth storing once a phone has accepted them. */
export async function saveCredentials(values: SessionValues, creds: AuthenticationCreds): Promise<void> {
  if (isPaired(creds)) await values.save(new Map([[NAME, encodeValue(creds)]]));
}

/** A phone has signed them. `me` alone says nothing: a pairing code sets it before any phone has responded. */
function isPaired({ account }: Pick<AuthenticationCreds, 'account'>): boolean {
  return account !== undefined && account !== null;
}
