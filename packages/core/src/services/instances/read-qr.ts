import { renderSVG } from 'uqr';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { QrResource } from '../../resources/instance.ts';
import { timestamp } from '../../resources/time.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from './find-instance.ts';
import { openQr } from './sealed-qr.ts';

/** The current QR; only while the instance waits for a scan and the code has not run out. */
export async function readQr(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<QrResource>> {
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const { status, qr } = found.value;
  if (status !== 'qr_required' || qr === null || qr.expiresAt <= context.clock.now()) {
    return refuse('QR_NOT_AVAILABLE', 'There is a QR only while the status is qr_required.');
  }
  const { code, pairingCode } = openQr(context.sealer, id, qr);
  return ok({
    svg: renderSVG(code),
    code,
    pairing_code: pairingCode,
    expires_at: timestamp(qr.expiresAt),
  });
}
