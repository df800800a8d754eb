import type { Instance } from '../domain/instance/instance.ts';
import type { GatewayConnection } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';

/** An open connection, with the lease that allows its use. */
export interface OpenConnection {
  readonly lease: Lease;
  readonly instance: Instance;
  readonly connection: GatewayConnection;
}

export interface OpenConnections {
  ids(): readonly string[];
  get(instanceId: string): OpenConnection | null;
}
