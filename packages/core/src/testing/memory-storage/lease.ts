import type { Instance } from '../../domain/instance/instance.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { InstanceRecord, State } from './state.ts';

/** The instance that this lease gives the right to write; null when the lease is lost or released, or its instance gone. */
export function leasedRecord(state: State, lease: Lease): InstanceRecord | null {
  const record = state.instances.get(lease.instanceId);
  return record?.lease.epoch === lease.epoch && record.lease.owner === lease.owner ? record : null;
}

export function needsGateway(instance: Instance): boolean {
  return instance.desired === 'running' || instance.operation !== null;
}
