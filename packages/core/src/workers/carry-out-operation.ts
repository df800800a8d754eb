import type { InstanceTrigger } from '../domain/instance/instance-state.ts';
import type { Instance, Operation, OperationKind } from '../domain/instance/instance.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { ServiceContext } from '../services/context.ts';
import { deleteHeldInstance } from '../services/instances/change-instance.ts';

/** What an operation does to the instance's connection; each ends within bounds. */
export interface HeldConnection {
  isOpen(): boolean;
  close(): Promise<void>;
  /** Takes the device off the phone, by the connection or without one, and closes. */
  unlink(): Promise<void>;
}

interface Held {
  readonly lease: Lease;
  readonly instance: Instance;
  readonly connection: HeldConnection;
  /** Writes what comes of it. */
  readonly change: (trigger: InstanceTrigger) => Promise<void>;
  /** Outcomes of operations on the network that could not be written yet, by the ids of the operations. */
  readonly outcomes: Map<string, InstanceTrigger>;
}

/** Carries out an operation on an instance that is held, and writes its outcome, or deletes the instance. */
export async function carryOutOperation(
  context: ServiceContext,
  held: Held,
  { id, kind }: Pick<Operation, 'id' | 'kind'>,
): Promise<'written' | 'deleted'> {
  const { lease, instance, change, outcomes } = held;
  const outcome = outcomes.get(id) ?? (await outcomeOf(context, held, kind));
  outcomes.set(id, outcome);
  const deletes = kind === 'delete' && outcome === DONE;
  if (deletes) await deleteHeldInstance(context, { workspaceId: instance.workspaceId, lease });
  else await change(outcome);
  outcomes.delete(id);
  return deletes ? 'deleted' : 'written';
}

async function outcomeOf(context: ServiceContext, held: Held, kind: OperationKind): Promise<InstanceTrigger> {
  try {
    return await onNetwork(context, held, kind);
  } catch (error) {
    context.logger.warn(
      { err: error, instanceId: held.lease.instanceId, operation: kind },
      'the gateway could not carry out an operation',
    );
    return {
      kind: 'operation_failed',
      error: error instanceof Error ? error.message : 'the gateway failed',
    };
  }
}

const DONE: InstanceTrigger = { kind: 'operation_done' };

async function onNetwork(context: ServiceContext, held: Held, kind: OperationKind): Promise<InstanceTrigger> {
  switch (kind) {
    case 'disconnect':
      await held.connection.close();
      return DONE;
    case 'logout':
      return logOut(context, held);
    case 'delete':
      await leaveForGood(context, held);
      return DONE;
  }
}

/** A network that refuses twice is not asked a third time: the owner of the number wants its session gone. */
async function logOut({ logger }: ServiceContext, held: Held): Promise<InstanceTrigger> {
  const { lease, instance, connection } = held;
  try {
    await connection.unlink();
    return DONE;
  } catch (error) {
    if (!instance.logoutRefused) throw error;
    logger.warn(
      { err: error, instanceId: lease.instanceId },
      'The network refused the logout again, so the session is discarded here. The phone may still list the device: remove it there.',
    );
    return { kind: 'session_discarded' };
  }
}

/** Takes the device off the phone where the network can be told, and deletes all the same where it cannot. */
async function leaveForGood({ logger }: ServiceContext, { lease, connection }: Held): Promise<void> {
  if (connection.isOpen()) {
    await connection.unlink().catch((error: unknown) => {
      logger.warn(
        { err: error, instanceId: lease.instanceId },
        'the number stays listed on the phone: it could not be unlinked',
      );
    });
  }
  await connection.close();
}
