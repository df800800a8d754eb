import { withFullStop } from '../../domain/full-stop.ts';
import { outcomeOf } from '../../domain/instance/instance.ts';
import type { Instance, Operation, OperationKind } from '../../domain/instance/instance.ts';
import { parsePhoneNumber } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { connectInput } from '../../inputs/instances.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import { waitFor } from '../../runtime/retry.ts';
import type { ServiceContext } from '../context.ts';
import { changeInstance } from './change-instance.ts';

/** How often to look for the outcome. Signals are not enough: other processes on the database may send none. */
const LOOK_EVERY_MS = 250;

/** Starts to connect. With a `pairing_phone_number`, pairing also shows a code for that phone. */
export async function connectInstance(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(connectInput, input);
  if (!read.ok) return read;
  const pairingNumber = readNumber(read.value.pairing_phone_number);
  if (!pairingNumber.ok) return pairingNumber;
  return changeInstance(
    context,
    { workspaceId, id, lease: null },
    { kind: 'connect', pairingNumber: pairingNumber.value },
  );
}

/**
 * Asks the gateway that holds the instance for a disconnect, logout or delete, or gives it the answer to its request for
 * a passkey, and waits for its response.
 * The request is durable: if the wait ends without a response, the operation stays open and is carried out
 * later. A request for an operation that is already open joins it, so all callers get the same outcome.
 * Returns the instance, or null once it is deleted.
 */
export async function runOperation(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  { kind, ...request }: Pick<Operation, 'kind' | 'sealedAnswer'>,
): Promise<Result<Instance | null>> {
  const now = context.clock.now();
  const operation: Operation = { id: context.newId('opr', now), kind, requestedAt: now, ...request };
  const requested = await changeInstance(
    context,
    { workspaceId, id, lease: null },
    { kind: 'request_operation', operation },
  );
  // Without an open operation, the gateway has nothing to do.
  if (!requested.ok || !requested.value.operation) return requested;
  const { id: operationId } = requested.value.operation;

  const look = async (): Promise<Result<Instance | null> | undefined> => {
    const instance = await context.storage.instances.find(workspaceId, id);
    if (!instance) return ok(null);
    if (instance.operation?.id === operationId) return undefined;
    const outcome = outcomeOf(instance, operationId);
    if (!outcome) {
      return refuse(
        'GATEWAY_ERROR',
        `The outcome of the ${wordsFor(kind)} is not known any more: read the instance.`,
      );
    }
    return outcome.error === null ? ok(instance) : notCarriedOut(kind, outcome.error);
  };
  const outcome = await waitFor(context.clock, look, {
    timeoutMs: context.settings.operationTimeoutMs,
    everyMs: LOOK_EVERY_MS,
    subscribe: (wake) =>
      context.storage.subscribe((signal) => {
        if (signal.topic === 'instance' && signal.instanceId === id) wake();
      }),
  });
  return outcome ?? (await stillOpen(context, id, kind));
}

function notCarriedOut(kind: OperationKind, error: string): Result<never> {
  return refuse(
    'GATEWAY_ERROR',
    kind === 'passkey_answer'
      ? `The messaging network did not accept the passkey: ${withFullStop(error)}`
      : `The messaging network could not carry out the ${kind}: ${withFullStop(error)} ${NEXT[kind]}`,
  );
}

const NEXT = {
  disconnect: 'Repeat the request later.',
  logout: 'Another logout removes the session without the network.',
  delete: 'Repeat the request later.',
} as const;

function wordsFor(kind: OperationKind): string {
  return kind === 'passkey_answer' ? 'passkey answer' : kind;
}

async function stillOpen(context: ServiceContext, id: string, kind: OperationKind): Promise<Result<never>> {
  const lease = await context.storage.leases.find(id, context.clock.now());
  return lease
    ? refuse(
        'GATEWAY_ERROR',
        `The messaging network has not responded yet; the ${wordsFor(kind)} is still being carried out. Repeat the request for its outcome.`,
      )
    : refuse(
        'GATEWAY_UNAVAILABLE',
        `No gateway is running; the ${wordsFor(kind)} will be carried out when one is. Repeat the request then for its outcome.`,
      );
}

/** Reads a number by the rules for recipients; groups are refused. */
function readNumber(text: string | null | undefined): Result<string | null> {
  if (text === undefined || text === null) return ok(null);
  const number = parsePhoneNumber(text);
  return number.ok
    ? ok(number.digits)
    : invalid({ pairing_phone_number: [`Must be a phone number, which ${number.rule}.`] });
}
