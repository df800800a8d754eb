import {
  S_WHATSAPP_NET,
  buildPairingQRData,
  getBinaryNodeChild,
  getBinaryNodeChildren,
} from '@whiskeysockets/baileys';
import type { BinaryNode, WABrowserDescription, WASocket } from '@whiskeysockets/baileys';
import type { Clock, GatewayListener } from '@trunkline/core/spi/gateway';
import type { Pauses } from '../socket/socket-life.ts';
import { linkWithPasskey } from './passkey.ts';
import type { PasskeyLinking } from './passkey.ts';
import { watchQrSecret } from './qr-secret.ts';
import { requestPairingCode } from './request-pairing-code.ts';
import { watchTypedCode } from './typed-code.ts';

/** How long the first QR is shown, and each QR after that, unless the option `qrTimeout` is set. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;

/** No phone has scanned any of the QRs that the network offered. */
export class QrsExpired extends Error {
  override readonly name = 'QrsExpired';

  constructor() {
    super('No phone has scanned the QR.');
  }
}

interface Pairing {
  readonly socket: WASocket;
  readonly listener: Pick<GatewayListener, 'qr' | 'passkey'>;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly browser: WABrowserDescription;
  /** The digits of the phone's number for pairing by code; null without a code. All QRs share one code. */
  readonly pairingNumber: string | null;
  readonly qrLifetimeMs: number | undefined;
  readonly failed: (error: unknown) => void;
}

interface ShownQr {
  readonly ref: string;
  readonly expiresAt: number;
}

const PAIR_DEVICE = 'CB:iq,type:set,pair-device';

/**
 * Reports each QR that the network offers, and reports it again if the network requires a new secret. Replaces Baileys'
 * handler, which ends the connection after the last QR even while the network waits for a passkey.
 */
export function showQrs(pairing: Pairing): PasskeyLinking {
  const { socket, listener, clock, pauses, browser, pairingNumber, qrLifetimeMs, failed } = pairing;
  let pairingCode: Promise<string> | undefined;
  let current: ShownQr | null = null;
  let isTaken = false;

  const passkey = linkWithPasskey({
    socket,
    listener,
    clock,
    pauses,
    failed,
    begun() {
      isTaken = true;
    },
  });
  if (pairingNumber !== null) {
    watchTypedCode(socket, (error) => {
      if (!isTaken) failed(error);
    });
  }

  const report = async ({ ref, expiresAt }: ShownQr): Promise<void> => {
    if (pairingNumber !== null) pairingCode ??= requestPairingCode(socket, pairingNumber);
    const code = await pairingCode;
    if (isTaken) return;
    const { noiseKey, signedIdentityKey } = socket.authState.creds;
    const [noise, identity] = [noiseKey, signedIdentityKey].map((key) =>
      Buffer.from(key.public).toString('base64'),
    );
    const text = buildPairingQRData(ref, noise ?? '', identity ?? '', secret.current(), browser);
    await listener.qr(text, expiresAt, code);
  };
  const secret = watchQrSecret({
    socket,
    clock,
    isTaken: () => isTaken,
    changed: () => {
      if (current) report(current).catch(failed);
    },
  });

  const offered = async (stanza: BinaryNode): Promise<void> => {
    const attrs = { to: S_WHATSAPP_NET, type: 'result', id: stanza.attrs['id'] ?? '' };
    await socket.sendNode({ tag: 'iq', attrs });
    let lifetime = qrLifetimeMs ?? FIRST_QR_MS;
    for (const { content } of getBinaryNodeChildren(getBinaryNodeChild(stanza, 'pair-device'), 'ref')) {
      if (isTaken || pauses.isOver()) return;
      current = { ref: Buffer.from(content as Uint8Array).toString(), expiresAt: clock.now() + lifetime }; // refs are bytes
      socket.ev.emit('connection.update', { qr: current.ref });
      report(current).catch(failed);
      await pauses.pause(lifetime);
      lifetime = qrLifetimeMs ?? NEXT_QR_MS;
    }
    if (!isTaken && !pauses.isOver()) failed(new QrsExpired());
  };
  socket.ws.removeAllListeners(PAIR_DEVICE);
  socket.ws.on(PAIR_DEVICE, (stanza: BinaryNode) => void offered(stanza).catch(failed));
  socket.ev.on('connection.update', ({ isNewLogin }) => {
    if (isNewLogin) isTaken = true;
  });
  return passkey;
}
