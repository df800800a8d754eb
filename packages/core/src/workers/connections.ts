import type { Instance } from '../domain/instance/instance.ts';
import type { GatewayConnection } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';

/** A connection that is open now, with the right to use it. */
export interface OpenConnection {
  readonly lease: Lease;
  readonly instance: Instance;
  readonly connection: GatewayConnection;
}

/** The connections that are open in this process, for its senders. */
export interface OpenConnections {
  ids(): readonly string[];
  get(instanceId: string): OpenConnection | null;
}
