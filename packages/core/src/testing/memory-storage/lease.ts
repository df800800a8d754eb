import type { Instance } from '../../domain/instance/instance.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { InstanceRecord, State } from './state.ts';

/** The instance that this lease may write; null if the lease is lost or released, or the instance is deleted. */
export function leasedRecord(state: State, lease: Lease): InstanceRecord | null {
  const record = state.instances.get(lease.instanceId);
  return record?.lease.epoch === lease.epoch && record.lease.owner === lease.owner ? record : null;
}

export function needsGateway(instance: Instance): boolean {
  return instance.desired === 'running' || instance.operation !== null;
}
