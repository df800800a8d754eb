import type { Clock, GatewayListener } from '@trunkline/core/spi/gateway';
import type { WASocket } from '@whiskeysockets/baileys';
import { watchPasskeyRequests } from './passkey.ts';
import { watchQrSecret } from './qr-secret.ts';
import { requestPairingCode } from './request-pairing-code.ts';
import { watchTypedCode } from './typed-code.ts';

/** How long Baileys shows the first QR, and each QR after that, unless the option `qrTimeout` is set. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;

interface Pairing {
  readonly socket: WASocket;
  readonly listener: Pick<GatewayListener, 'qr'>;
  readonly clock: Clock;
  /** The digits of the phone's number for pairing by code; null without a code. All QRs share one code. */
  readonly pairingNumber: string | null;
  readonly qrLifetimeMs: number | undefined;
  readonly failed: (error: unknown) => void;
}

interface ShownQr {
  readonly text: string;
  readonly expiresAt: number;
}

/** Reports each QR of the socket, and reports it again if the network requires a new secret. */
export function showQrs({ socket, listener, clock, pairingNumber, qrLifetimeMs, failed }: Pairing): void {
  let pairingCode: Promise<string> | undefined;
  let lifetime = qrLifetimeMs ?? FIRST_QR_MS;
  let current: ShownQr | null = null;

  watchPasskeyRequests(socket, failed);
  if (pairingNumber !== null) watchTypedCode(socket, failed);

  const report = async ({ text, expiresAt }: ShownQr): Promise<void> => {
    if (pairingNumber !== null) pairingCode ??= requestPairingCode(socket, pairingNumber);
    const code = await pairingCode;
    await listener.qr(secret.renew(text), expiresAt, code);
  };
  const secret = watchQrSecret({
    socket,
    clock,
    changed: () => {
      if (current) report(current).catch(failed);
    },
  });

  socket.ev.on('connection.update', ({ qr }) => {
    if (!qr) return;
    current = { text: qr, expiresAt: clock.now() + lifetime };
    lifetime = qrLifetimeMs ?? NEXT_QR_MS;
    report(current).catch(failed);
  });
}
