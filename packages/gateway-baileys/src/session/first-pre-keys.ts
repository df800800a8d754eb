import { Curve, INITIAL_PREKEY_COUNT } from '@whiskeysockets/baileys';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import type { Clock } from '@trunkline/core/spi/gateway';
import { cooperativeYield } from '../socket/cooperative-yield.ts';
import { isPaired, saveCredentials } from './credentials.ts';
import type { SessionValues } from './session-values.ts';
import { signalKeys } from './signal-keys.ts';

/** The number of keys in one transaction. */
const WRITTEN_TOGETHER = 100;

/**
 * Makes the keys that a device uploads once it is linked, in small groups. Baileys would make all of them in one go,
 * which blocks the process for a tenth of a second or more.
 */
export async function makeFirstPreKeys(
  values: SessionValues,
  creds: AuthenticationCreds,
  clock: Clock,
): Promise<void> {
  // The next id is 1 until the first keys exist.
  if (!isPaired(creds) || creds.nextPreKeyId > 1) return;
  const keys = signalKeys(values, clock);
  const turn = cooperativeYield(clock);
  for (let first = 1; first <= INITIAL_PREKEY_COUNT; first += WRITTEN_TOGETHER) {
    const last = Math.min(first + WRITTEN_TOGETHER - 1, INITIAL_PREKEY_COUNT);
    const made: Record<string, ReturnType<typeof Curve.generateKeyPair>> = {};
    for (let id = first; id <= last; id += 1) {
      await turn();
      made[id] = Curve.generateKeyPair();
    }
    await keys.set({ 'pre-key': made });
  }
  // Baileys uploads the keys below this id that the network lacks.
  creds.nextPreKeyId = INITIAL_PREKEY_COUNT + 1;
  await saveCredentials(values, creds);
}
