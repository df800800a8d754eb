import type { QrCode } from '../../domain/instance/instance.ts';
import { qrPurpose } from '../sealer.ts';
import type { Sealer } from '../sealer.ts';

/** What links a phone, readable: `code` is shown as a QR, `pairingCode` is typed. */
export interface OpenQr {
  readonly code: string;
  readonly pairingCode: string | null;
}

export function sealQr(
  sealer: Sealer,
  instanceId: string,
  { code, pairingCode }: OpenQr,
): Omit<QrCode, 'expiresAt'> {
  const purpose = qrPurpose(instanceId);
  return {
    sealedCode: sealer.sealText(code, purpose),
    sealedPairingCode: pairingCode === null ? null : sealer.sealText(pairingCode, purpose),
  };
}

export function openQr(sealer: Sealer, instanceId: string, qr: QrCode): OpenQr {
  const purpose = qrPurpose(instanceId);
  return {
    code: sealer.openText(qr.sealedCode, purpose),
    // One that was stored by a version without pairing codes has no such field.
    pairingCode: qr.sealedPairingCode ? sealer.openText(qr.sealedPairingCode, purpose) : null,
  };
}
