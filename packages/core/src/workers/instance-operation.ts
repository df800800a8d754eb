import type { InstanceTrigger } from '../domain/instance/instance-state.ts';
import type { Operation } from '../domain/instance/instance.ts';
import type { PasskeyAnswer } from '../domain/instance/passkey.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { ServiceContext } from '../services/context.ts';
import { deleteHeldInstance } from '../services/instances/change-instance.ts';
import { openPasskeyAnswer } from '../services/instances/sealed-values.ts';
import type { InstanceRecord } from './instance-record.ts';

/** The actions that operations take on the instance's connection. */
export interface OperatedConnection {
  isOpen(): boolean;
  close(): Promise<void>;
  /** Passes a person's answer to the connection that asked for a passkey. */
  answerPasskey(answer: PasskeyAnswer): Promise<void>;
  /** Unlinks the device from the phone, even without an open connection, and closes the connection. */
  unlink(): Promise<void>;
}

/** Runs the requested operations of one instance, one at a time. */
export interface InstanceOperations {
  /** Runs an operation in the background, and writes its outcome, or deletes the instance. */
  begin(operation: Operation): void;
  isBusy(): boolean;
}

interface Held {
  readonly context: ServiceContext;
  readonly lease: Lease;
  readonly record: InstanceRecord;
  readonly connection: OperatedConnection;
}

export function createInstanceOperations(held: Held): InstanceOperations {
  const { context, lease, record } = held;
  /**
   * Outcomes by operation id, until they are written, so that an operation on the network is not repeated.
   */
  const outcomes = new Map<string, InstanceTrigger>();
  let isBusy = false;

  const carryOut = async (operation: Operation): Promise<void> => {
    const { id, kind } = operation;
    const outcome = outcomes.get(id) ?? (await outcomeOf(held, operation));
    outcomes.set(id, outcome);
    if (kind === 'delete' && outcome === DONE) {
      await deleteHeldInstance(context, { workspaceId: record.current().workspaceId, lease });
      record.noteDeleted();
    } else {
      await record.inOrder(() => record.write(outcome));
    }
    outcomes.delete(id);
  };

  return {
    begin(operation) {
      isBusy = true;
      record.begin(`the ${operation.kind} operation`, () =>
        carryOut(operation).finally(() => {
          isBusy = false;
        }),
      );
    },
    isBusy: () => isBusy,
  };
}

async function outcomeOf(held: Held, operation: Operation): Promise<InstanceTrigger> {
  try {
    return await onNetwork(held, operation);
  } catch (error) {
    held.context.logger.warn(
      { err: error, instanceId: held.lease.instanceId, operation: operation.kind },
      'the gateway could not carry out an operation, which has failed: fix the cause in err, then request it again',
    );
    return {
      kind: 'operation_failed',
      error: error instanceof Error ? error.message : 'the gateway failed',
    };
  }
}

const DONE: InstanceTrigger = { kind: 'operation_done' };

async function onNetwork(held: Held, { kind, sealedAnswer = '' }: Operation): Promise<InstanceTrigger> {
  switch (kind) {
    case 'disconnect':
      await held.connection.close();
      return DONE;
    case 'logout':
      return logOut(held);
    case 'passkey_answer': {
      const { sealer } = held.context;
      await held.connection.answerPasskey(openPasskeyAnswer(sealer, held.lease.instanceId, sealedAnswer));
      return DONE;
    }
    case 'delete':
      await leaveForGood(held);
      return DONE;
  }
}

/**
 * Logs out. If the network refuses twice, discards the session, because the owner of the number wants the session
 * gone.
 */
async function logOut({ context, lease, record, connection }: Held): Promise<InstanceTrigger> {
  try {
    await connection.unlink();
    return DONE;
  } catch (error) {
    if (!record.current().logoutRefused) throw error;
    context.logger.warn(
      { err: error, instanceId: lease.instanceId },
      'the network refused the logout again, so the session is discarded here: the phone may still list the device; remove it there',
    );
    return { kind: 'session_discarded' };
  }
}

/**
 * Unlinks the device from the phone if a number is linked. A failure to unlink is only logged, so that the instance
 * can be deleted.
 */
async function leaveForGood({ context, lease, record, connection }: Held): Promise<void> {
  if (connection.isOpen() || record.current().phoneNumber !== null) {
    await connection.unlink().catch((error: unknown) => {
      context.logger.warn(
        { err: error, instanceId: lease.instanceId },
        'an instance that is deleted could not be unlinked from its number: the phone still lists the device; remove it there',
      );
    });
  }
  await connection.close();
}
