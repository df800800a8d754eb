import { SENDER_KEPT_MS } from '../ports/storage/message-store.ts';
import type { MessageStore, Sender } from '../ports/storage/message-store.ts';
import type { Signal } from '../ports/storage/storage.ts';
import { keepLookUps } from './kept-look-ups.ts';
import type { KeptLookUps } from './kept-look-ups.ts';

/**
 * The maximum number of workspaces, and of instances, that a process keeps. Each takes less than a kilobyte.
 */
const KEPT_MAX = 10_000;

/** One of the rows that make up a sender, with its part of `Sender.revision`. */
export interface SenderPart<Facts> {
  readonly facts: Facts;
  readonly revision: string;
}

/** Each function reads one row; null if the row does not exist. */
interface SenderRows {
  readonly findWorkspace: (id: string) => Promise<SenderPart<Sender['workspace']> | null>;
  readonly findInstance: (id: string) => Promise<SenderPart<NonNullable<Sender['instance']>> | null>;
}

export interface KeptSenders {
  readonly find: MessageStore['findSender'];
  /** Forgets the row that a signal reports as changed. */
  hear(signal: Signal): void;
}

/**
 * Caches the senders of messages for storages, because every request to send needs its sender, and a lookup per
 * request would cost more than storing the message. Rows are cached by their own ids, so `find` checks the workspace
 * of an instance.
 */
export function keepSenders({ findWorkspace, findInstance }: SenderRows): KeptSenders {
  const workspaces = keepRows(findWorkspace);
  const instances = keepRows(findInstance);
  return {
    async find(workspaceId, instanceId, { now, fresh }) {
      const kept = fresh
        ? null
        : bothKept(workspaces.kept(workspaceId, now), instances.kept(instanceId, now));
      const [workspace, instance] =
        kept ??
        (await Promise.all([
          workspaces.find(workspaceId, now, { fresh }),
          instances.find(instanceId, now, { fresh }),
        ]));
      if (!workspace) return null;
      const own = instance?.facts.workspaceId === workspaceId ? instance : null;
      return {
        workspace: workspace.facts,
        revision: senderRevision(own?.revision ?? '', workspace.revision),
        instance: own && own.facts,
      };
    },
    hear(signal) {
      if (signal.topic === 'instance') instances.forget(signal.instanceId);
      if (signal.topic === 'workspace') workspaces.forget(signal.workspaceId);
    },
  };
}

/** Most requests find both rows, and then wait for nothing. */
function bothKept<One, Other>(one: One | null | undefined, other: Other | null | undefined) {
  return one && other ? ([one, other] as const) : null;
}

/** Joins the revisions of both parts; `ofInstance` is empty if the workspace has no such instance. */
export function senderRevision(ofInstance: string, ofWorkspace: string): string {
  return `${ofInstance} ${ofWorkspace}`;
}

function keepRows<Row>(lookUp: (id: string) => Promise<Row | null>): KeptLookUps<Row | null> {
  return keepLookUps({
    lookUp,
    isWorthKeeping: (row) => row !== null,
    maxAgeMs: SENDER_KEPT_MS,
    max: KEPT_MAX,
  });
}
