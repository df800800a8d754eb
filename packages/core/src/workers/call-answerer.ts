import { NO_METHOD } from '../domain/instance/instance-call.ts';
import type { CallResponse, InstanceCall } from '../domain/instance/instance-call.ts';
import type { StoredCall } from '../ports/storage/call-store.ts';
import { settledWithin } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import type { OpenConnection, OpenConnections } from './connections.ts';
import { createGroupCalls } from './group-calls.ts';
import { createNumberLookups } from './number-lookups.ts';
import { createRateLimit } from './rate-limit.ts';

/** How often to look for calls of other processes, which may send no signals. */
const POLL_MS = 5_000;
const BATCH = 100;
/**
 * How often an instance shows that it is typing. A person who writes in one chat is shown about every ten seconds, so
 * this suffices for a few at the same time; a loop in an app must not cost the number.
 */
const TYPING_LIMIT = { perMinute: 60, burst: 30 };
/** How often an instance blocks and unblocks people. More looks like a program to a network. */
const BLOCK_LIMIT = { perMinute: 20, burst: 10 };

interface CallAnswerer {
  start(): void;
  /** Looks for calls of this instance. */
  wake(instanceId: string): void;
  /** Takes no more calls, and waits at most `timeoutMs` for those in flight. */
  stop(timeoutMs: number): Promise<void>;
}

/** Carries out the calls of the instances that this process holds, for its own requests and those of other processes. */
export function createCallAnswerer(context: ServiceContext, connections: OpenConnections): CallAnswerer {
  const { storage, clock, logger, localCalls, settings } = context;
  const typingLimit = createRateLimit(clock, TYPING_LIMIT);
  const blockLimit = createRateLimit(clock, BLOCK_LIMIT);
  const answering = new Set<Promise<void>>();
  let stopServing = (): void => {};

  const lookups = createNumberLookups(context);
  const groups = createGroupCalls(context);

  const showTyping = async (
    { lease, connection }: OpenConnection,
    { chat, state }: Extract<InstanceCall, { kind: 'typing' }>,
  ): Promise<CallResponse> =>
    typingLimit(lease, async () => {
      if (!connection.showTyping) return NO_METHOD;
      await connection.showTyping(chat, state);
      return { kind: 'done' };
    });

  const setBlocked = async (
    { lease, connection }: OpenConnection,
    { person, isBlocked }: Extract<InstanceCall, { kind: 'block' }>,
  ): Promise<CallResponse> =>
    blockLimit(lease, async () => {
      if (!connection.setBlocked) return NO_METHOD;
      await connection.setBlocked(person, isBlocked);
      return { kind: 'done' };
    });

  const carryOut = async (open: OpenConnection, call: InstanceCall, until: number): Promise<CallResponse> => {
    try {
      switch (call.kind) {
        case 'typing':
          return await showTyping(open, call);
        case 'lookup':
          return await lookups.lookUp(open, call.numbers, until);
        case 'block':
          return await setBlocked(open, call);
        case 'group_admin':
          return await groups.manage(open, call, until);
      }
    } catch (error) {
      logger.debug(
        { err: error, instanceId: open.instance.id, call: call.kind },
        'a call of an instance failed',
      );
      return { kind: 'failed', error: error instanceof Error ? error.message : 'the gateway failed' };
    }
  };

  const answer = async ({ id, instanceId, request, expiresAt }: StoredCall): Promise<void> => {
    if (!(await storage.calls.take(id))) return;
    const open = connections.get(instanceId);
    const call = JSON.parse(request) as InstanceCall; // as `callInstance` wrote it
    const response: CallResponse = open ? await carryOut(open, call, expiresAt) : { kind: 'not_connected' };
    await storage.calls.respond(id, JSON.stringify(response));
  };

  const loop = createLoop({
    name: 'call answerer',
    clock,
    logger,
    everyMs: POLL_MS,
    async pass() {
      const ids = connections.ids();
      if (ids.length === 0) return { more: false, nextAt: null };
      const calls = await storage.calls.list(ids, clock.now(), BATCH);
      for (const call of calls) {
        const work = answer(call)
          .catch((error: unknown) => {
            logger.debug(
              { err: error, instanceId: call.instanceId },
              'a call was not answered: its request gets 502',
            );
          })
          .finally(() => answering.delete(work));
        answering.add(work);
      }
      return { more: false, nextAt: null };
    },
  });

  return {
    start() {
      stopServing = localCalls.serve((instanceId, call) => {
        const open = connections.get(instanceId);
        return open && carryOut(open, call, clock.now() + settings.operationTimeoutMs);
      });
      loop.start();
    },
    wake(instanceId) {
      if (connections.get(instanceId)) loop.wake();
    },
    async stop(timeoutMs) {
      stopServing();
      await settledWithin(
        clock,
        timeoutMs,
        loop.stop().then(() => Promise.all(answering)),
      );
    },
  };
}
