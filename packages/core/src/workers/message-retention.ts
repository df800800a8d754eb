import type { Workspace } from '../domain/workspace/workspace.ts';
import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { deleteMessages } from '../services/people/delete-messages.ts';
import { partsOf } from '../services/people/walks.ts';

/** The time between rounds, which is also about how long a message may exceed its retention. */
const EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/**
 * The maximum numbers of messages and events that one transaction deletes: small, so that requests do not
 * wait.
 */
const MESSAGES = 100;
const EVENTS = 500;
const WORKSPACES = 100;

/**
 * Deletes messages beyond the retention of their workspace, with their files, events, deliveries and idempotency keys,
 * step by step, in a round through all workspaces. Messages that wait to be sent, or for their files, stay
 * until that is done. If a round is interrupted, the next round deletes the rest.
 */
export function createMessageRetention(context: ServiceContext): Worker {
  const { clock, logger } = context;
  let round: AsyncGenerator<void> | null = null;
  return createLoop({
    name: 'message retention',
    clock,
    logger,
    everyMs: EVERY_MS,
    async pass() {
      round ??= roundOf(context);
      const current = round;
      // A round that fails has ended, so the next pass begins a new one.
      round = null;
      const { done } = await current.next();
      if (done !== true) round = current;
      return { more: done !== true, nextAt: null };
    },
  });
}

async function* roundOf(context: ServiceContext): AsyncGenerator<void> {
  const { storage, logger } = context;
  let deleted = 0;
  for await (const { workspaceId, before } of workspacesWithRetention(context)) {
    for await (const count of deleteBefore(context, workspaceId, before)) {
      deleted += count;
      yield;
    }
  }
  if (deleted === 0) return;
  const left = (await storage.purge?.()) ?? null;
  if (left !== null)
    logger.warn(
      { reason: left },
      'messages that were too old are deleted, but for some bytes: reason says where they may be left, and what to do',
    );
  logger.debug({ deleted }, 'messages that were too old are deleted');
}

interface WorkspaceRetention {
  readonly workspaceId: string;
  /** Older messages are deleted; epoch milliseconds. */
  readonly before: number;
}

/** The workspaces that do not keep messages forever. */
export async function* workspacesWithRetention({
  storage,
  settings,
  clock,
}: ServiceContext): AsyncGenerator<WorkspaceRetention> {
  let after: string | null = null;
  do {
    const workspaces: readonly Workspace[] = await storage.workspaces.list({ after, limit: WORKSPACES });
    for (const { id, retention } of workspaces) {
      const days = retention?.messagesDays ?? settings.retention.messagesDays ?? 'forever';
      if (days !== 'forever') yield { workspaceId: id, before: clock.now() - days * DAY_MS };
    }
    after = workspaces.length === WORKSPACES ? (workspaces.at(-1)?.id ?? null) : null;
  } while (after !== null);
}

/** Yields the number of deleted messages after each step. */
async function* deleteBefore(
  context: ServiceContext,
  workspaceId: string,
  before: number,
): AsyncGenerator<number> {
  const { erasure } = context.storage;
  for await (const { rows } of partsOf((walk) => erasure.listMessages(workspaceId, { ...walk, before }))) {
    for (let first = 0; first < rows.length; first += MESSAGES) {
      const ids = rows.slice(first, first + MESSAGES).map(({ message }) => message.id);
      const deletion = { ids, unfinished: 'kept', limit: EVENTS } as const;
      for await (const { messages } of deleteMessages(context, workspaceId, deletion)) yield messages;
    }
  }
}
