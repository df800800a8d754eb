import { MISSING_KEYS_ERROR_TEXT } from '@whiskeysockets/baileys';
import type { SignalKeyStore } from '@whiskeysockets/baileys';
import type { SessionRecord } from '../session/fitting-session.ts';
import { fieldStream } from '../history/protobuf-fields.ts';

/** Baileys gives these errors no code, so compare their messages. */
const NO_SESSION_FITS = 'No matching sessions found for message';
const OLD_IN_GROUP = 'Received message with old counter';

interface Failure {
  readonly error: unknown;
  readonly ciphertext: Uint8Array;
  /** The Signal address of the sender's device; null for a message to a group. */
  readonly address: string | null;
}

/**
 * Whether a message could not be decrypted because its key was used before, as for every message that the network
 * repeats: whatsmeow's `ErrOldCounter` (`message.go`). Baileys finds this out only for the first messages of a session.
 */
export async function isKeyUsed(
  keys: Pick<SignalKeyStore, 'get'>,
  { error, ciphertext, address }: Failure,
): Promise<boolean> {
  const text = error instanceof Error ? error.message : '';
  if (text === MISSING_KEYS_ERROR_TEXT || text.startsWith(OLD_IN_GROUP)) return true;
  if (text !== NO_SESSION_FITS || address === null) return false;
  const header = headerOf(ciphertext);
  if (!header) return false;
  const { [address]: stored } = await keys.get('session', [address]);
  const { _sessions: sessions = {} } = (stored ?? {}) as SessionRecord; // as libsignal serializes it
  return Object.values(sessions).some(({ _chains: chains }) => {
    const chain = chains[header.ephemeralKey];
    return chain && chain.chainKey.counter >= header.counter && !(header.counter in chain.messageKeys);
  });
}

/** A message is a byte with the version, a `WhisperMessage`, and a MAC of this length. */
const MAC_LENGTH = 8;
/** Fields of `WhisperMessage`. */
const EPHEMERAL_KEY = 1;
const COUNTER = 2;

function headerOf(
  ciphertext: Uint8Array,
): { readonly ephemeralKey: string; readonly counter: number } | null {
  let ephemeralKey = '';
  let counter = 0;
  const stream = fieldStream({
    fields: {
      [EPHEMERAL_KEY]: (value) => {
        if (typeof value !== 'number') ephemeralKey = Buffer.from(value).toString('base64');
      },
      [COUNTER]: (value) => {
        if (typeof value === 'number') counter = value;
      },
    },
  });
  try {
    stream.push(ciphertext.subarray(1, -MAC_LENGTH));
    stream.end();
  } catch {
    return null;
  }
  return { ephemeralKey, counter };
}
