import { withFullStop } from '../../domain/full-stop.ts';
import { isGroupQuestion } from '../../domain/instance/group-request.ts';
import type { GroupRefusal } from '../../domain/instance/group-request.ts';
import { keyReused } from '../../domain/idempotency/idempotency.ts';
import type { CallResponse, InstanceCall } from '../../domain/instance/instance-call.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { waitFor } from '../../runtime/retry.ts';
import type { ServiceContext } from '../context.ts';
import { noCapability, noGateway } from '../gateways.ts';

/** How often to look for the response. Signals are not enough: other processes on the database may send none. */
const LOOK_EVERY_MS = 250;
/** How many calls of one instance may be on their way between processes. */
const OPEN_MAX = 20;
/** When to repeat a request that found too many, in seconds. */
const RETRY_AFTER = 1;

export type Done = Extract<CallResponse, { kind: 'done' }>;

/** Whether the instance can be called in this way now. */
export function checkCallable(
  { gateways }: ServiceContext,
  instance: Instance,
  kind: InstanceCall['kind'],
): Result<true> {
  if (!gateways.find(instance.network)) return noGateway(instance.network);
  if (!gateways.capabilities(instance).includes(kind)) return noCapability(kind);
  return instance.status === 'connected' ? ok(true) : notConnected();
}

/**
 * Asks the connection of an instance, in this process or in the one that holds it, and waits for its response. Nothing
 * is done later: if there is no response in time, the call is forgotten.
 */
export async function callInstance(
  context: ServiceContext,
  instance: Instance,
  call: InstanceCall,
): Promise<Result<Done>> {
  const { id } = instance;
  const response = await (context.localCalls.call(id, call) ?? callElsewhere(context, instance, call));
  return response ? resultOfCall(context, response) : noResponse(context, id);
}

/** The result of a request, by the response of the connection. */
export function resultOfCall(context: ServiceContext, response: CallResponse): Result<Done> {
  switch (response.kind) {
    case 'done':
      return ok(response);
    case 'limited':
      return tooOften(context, response);
    case 'not_connected':
      return notConnected();
    case 'refused':
      return refuse('GROUP_CHANGE_REFUSED', REFUSED[response.reason], { reason: response.reason });
    case 'key_reused':
      return keyReused();
    case 'unknown':
      return refuse(
        'OUTCOME_UNKNOWN',
        `The messaging network may have done this or not: ${withFullStop(response.error)} Look at the group before you repeat the request.`,
      );
    case 'failed':
      return refuse(
        'GATEWAY_ERROR',
        `The messaging network did not do this: ${withFullStop(response.error)} Repeat the request later.`,
      );
  }
}

const REFUSED: Readonly<Record<GroupRefusal, string>> = {
  not_admin:
    'The messaging network allows this only to admins of the group, and the number is not one of them.',
  not_member: 'The number is not in the group, or the group no longer exists.',
  invite_invalid: 'The link does not lead to a group, or was revoked.',
  group_full: 'The group has as many participants as the messaging network allows.',
  not_acceptable: 'The messaging network does not accept these values.',
};

/**
 * Null if there was no response in time. The first process to take a call decides: if this process takes it back, nothing
 * was done, and nothing will be.
 */
async function callElsewhere(
  { storage, clock, newId, settings }: ServiceContext,
  { workspaceId, id: instanceId }: Instance,
  call: InstanceCall,
): Promise<CallResponse | null> {
  const now = clock.now();
  const { operationTimeoutMs: timeoutMs } = settings;
  const id = newId('opr', now);
  const stored = { id, instanceId, request: JSON.stringify(call), expiresAt: now + timeoutMs };
  if (!(await storage.calls.add(stored, { now, limit: OPEN_MAX })))
    return { kind: 'limited', limit: OPEN_MAX, retryAfterMs: RETRY_AFTER * 1_000 };
  const look = async (): Promise<CallResponse | undefined> => {
    const response = await storage.calls.findResponse(id);
    if (response !== null) return JSON.parse(response) as CallResponse; // as the answering process wrote it
    // If the instance was disconnected meanwhile, no process is going to respond.
    const current = await storage.instances.find(workspaceId, instanceId);
    return current?.status === 'connected' ? undefined : { kind: 'not_connected' };
  };
  try {
    const response = await waitFor(clock, look, {
      timeoutMs,
      everyMs: LOOK_EVERY_MS,
      subscribe: (wake) =>
        storage.subscribe((signal) => {
          if (signal.topic === 'call' && signal.instanceId === instanceId) wake();
        }),
    });
    const isOver = response === null || response.kind === 'not_connected';
    return isOver && isChange(call) && !(await storage.calls.take(id)) ? TAKEN : response;
  } finally {
    await storage.calls.remove(id);
  }
}

const TAKEN: CallResponse = {
  kind: 'unknown',
  error: 'the process that holds the instance took the request, and has not responded in time',
};

function isChange(call: InstanceCall): boolean {
  return call.kind === 'group_admin' && !isGroupQuestion(call.request);
}

function notConnected(): Result<never> {
  return refuse(
    'INSTANCE_NOT_CONNECTED',
    'The instance is not connected at this moment, and this is not queued: repeat the request when it is.',
  );
}

function tooOften(
  { clock }: ServiceContext,
  { limit, retryAfterMs }: Extract<CallResponse, { kind: 'limited' }>,
): Result<never> {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return refuse(
    'RATE_LIMITED',
    `The instance was asked for this too often, which puts its number at risk: repeat the request in ${seconds} s.`,
    { retry_after: seconds, limit, reset: Math.ceil(clock.now() / 1_000) + seconds },
  );
}

async function noResponse({ storage, clock }: ServiceContext, id: string): Promise<Result<never>> {
  return (await storage.leases.find(id, clock.now()))
    ? refuse('GATEWAY_ERROR', 'The messaging network has not responded in time. Repeat the request later.')
    : refuse('GATEWAY_UNAVAILABLE', 'No gateway is running. Repeat the request when one is.');
}
