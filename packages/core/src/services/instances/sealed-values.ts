import type { QrCode } from '../../domain/instance/instance.ts';
import type { PasskeyAnswer, PasskeyStep, StoredPasskeyStep } from '../../domain/instance/passkey.ts';
import type { Session } from '../../ports/gateway.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { ServiceContext } from '../context.ts';
import { passkeyPurpose, qrPurpose, sessionPurpose } from '../sealer.ts';
import type { Sealer } from '../sealer.ts';
import { FencedError } from './fenced-error.ts';

/** The unsealed codes that link a phone: `code` is shown as a QR, `pairingCode` is typed. */
interface OpenQr {
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
    // Versions without pairing codes did not store this field.
    pairingCode: qr.sealedPairingCode ? sealer.openText(qr.sealedPairingCode, purpose) : null,
  };
}

/** Seals a step of the passkey that the network waits for, or a person's answer to one. */
export function sealPasskey(sealer: Sealer, instanceId: string, value: PasskeyStep | PasskeyAnswer): string {
  return sealer.sealText(JSON.stringify(value), passkeyPurpose(instanceId));
}

export function openPasskeyStep(
  sealer: Sealer,
  instanceId: string,
  { sealedStep }: StoredPasskeyStep,
): PasskeyStep {
  return JSON.parse(sealer.openText(sealedStep, passkeyPurpose(instanceId))); // as `sealPasskey` wrote it
}

export function openPasskeyAnswer(sealer: Sealer, instanceId: string, sealedAnswer: string): PasskeyAnswer {
  return JSON.parse(sealer.openText(sealedAnswer, passkeyPurpose(instanceId))); // as `sealPasskey` wrote it
}

/** A gateway's stored values for one instance, sealed at rest. The gateway saves them only under the lease. */
export function instanceSession({ storage, sealer }: ServiceContext, lease: Lease): Session {
  const { instanceId } = lease;
  const opened = (sealed: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> =>
    new Map([...sealed].map(([name, value]) => [name, sealer.open(value, sessionPurpose(instanceId, name))]));
  return {
    instanceId,
    load: async () => opened(await storage.sessions.load(instanceId)),
    read: async (names) =>
      names.length === 0 ? new Map() : opened(await storage.sessions.read(instanceId, names)),
    names: (page) => storage.sessions.names(instanceId, page),
    async save(changes) {
      const sealed = new Map<string, Uint8Array | null>();
      for (const [name, value] of changes) {
        sealed.set(name, value && sealer.seal(value, sessionPurpose(instanceId, name)));
      }
      if ((await storage.sessions.save(lease, sealed)) === 'fenced') throw new FencedError(instanceId);
    },
  };
}
