import { randomBytes } from 'node:crypto';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '@trunkline/core/spi/gateway';
import { acknowledge } from '../socket/acknowledge.ts';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';

/** How long a pairing may take after a code was typed. */
const CODE_PAIRING_MS = 60_000;

export interface QrSecret {
  /** Returns the secret that is valid now. */
  current(): string;
}

interface SecretOptions {
  readonly socket: WASocket;
  readonly clock: Clock;
  /** Whether a phone has taken the QR or the code, so that the secret belongs to the linking in progress. */
  readonly isTaken: () => boolean;
  /** Called when the secret has changed, so that the QR on display no longer links a phone. */
  readonly changed: () => void;
}

/**
 * The secret in a QR proves to us that a phone has scanned the QR. The network may retire the secret even during a
 * scan, which Baileys ignores. Pairing by code stores its own secret in the same field when the code is typed.
 */
export function watchQrSecret({ socket, clock, isTaken, changed }: SecretOptions): QrSecret {
  const { creds } = socket.authState;
  let codeTypedAt = -Infinity;
  let isRetired = false;

  /** Replaces a retired secret, but not while a pairing by code may still need it. */
  const replaceRetired = (): boolean => {
    if (!isRetired || isTaken() || clock.elapsed() < codeTypedAt + CODE_PAIRING_MS) return false;
    isRetired = false;
    creds.advSecretKey = randomBytes(32).toString('base64');
    return true;
  };

  interceptStanzas(socket, 'notification', ({ attrs }: BinaryNode) => {
    if (attrs['type'] === 'link_code_companion_reg') codeTypedAt = clock.elapsed();
    if (attrs['type'] !== 'companion_reg_refresh') return false;
    void acknowledge(socket, attrs);
    isRetired = true;
    if (replaceRetired()) changed();
    return true;
  });

  return {
    current() {
      replaceRetired();
      return creds.advSecretKey;
    },
  };
}
