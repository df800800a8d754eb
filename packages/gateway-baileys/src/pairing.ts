import type { Clock, GatewayListener } from '@trunkline/core/spi/gateway';
import type { WASocket } from '@whiskeysockets/baileys';

/** How long Baileys shows the first QR, and each one after it, where no option says otherwise. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;

interface Pairing {
  readonly socket: WASocket;
  readonly listener: Pick<GatewayListener, 'qr'>;
  readonly clock: Clock;
  /** Digits of the phone that is to type a code, which is asked for once and stays through all QRs. */
  readonly pairingNumber: string | null;
  readonly qrLifetimeMs: number | undefined;
  readonly failed: (error: unknown) => void;
}

/** Reports each QR that the socket shows. */
export function showQrs({ socket, listener, clock, pairingNumber, qrLifetimeMs, failed }: Pairing): void {
  let pairingCode: Promise<string> | undefined;
  let shown = 0;
  const show = async (qr: string): Promise<void> => {
    const lifetime = qrLifetimeMs ?? (shown === 0 ? FIRST_QR_MS : NEXT_QR_MS);
    const expiresAt = clock.now() + lifetime;
    shown += 1;
    if (pairingNumber !== null) pairingCode ??= socket.requestPairingCode(pairingNumber);
    await listener.qr(qr, expiresAt, await pairingCode);
  };
  socket.ev.on('connection.update', ({ qr }) => {
    if (qr) show(qr).catch(failed);
  });
}
