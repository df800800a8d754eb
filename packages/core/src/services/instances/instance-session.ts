import type { Session } from '../../ports/gateway.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { ServiceContext } from '../context.ts';
import { sessionPurpose } from '../sealer.ts';
import { FencedError } from './change-instance.ts';

/** A gateway's stored values for one instance: sealed at rest, written only under the lease. */
export function instanceSession({ storage, sealer }: ServiceContext, lease: Lease): Session {
  const { instanceId } = lease;
  return {
    instanceId,
    async load() {
      const sealed = await storage.instances.loadSession(instanceId);
      return new Map(
        [...sealed].map(([name, value]) => [name, sealer.open(value, sessionPurpose(instanceId, name))]),
      );
    },
    async save(changes) {
      const sealed = new Map<string, Uint8Array | null>();
      for (const [name, value] of changes) {
        sealed.set(name, value && sealer.seal(value, sessionPurpose(instanceId, name)));
      }
      if ((await storage.instances.saveSession(lease, sealed)) === 'fenced')
        throw new FencedError(instanceId);
    },
  };
}
