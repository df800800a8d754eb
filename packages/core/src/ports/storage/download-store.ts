import type { EventRecord } from '../../domain/event/event.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Lease } from './lease.ts';

/** A file of a message that the network has not delivered yet, with the facts needed to ask for it again. */
export interface PendingDownload {
  readonly messageId: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  /** The gateway's reference to the file (`IncomingFile.reference`), sealed. */
  readonly sealedReference: Uint8Array;
  /** How many downloads have failed. */
  readonly tries: number;
  /** When to try next, in epoch milliseconds. */
  readonly dueAt: number;
  /** When the download is given up, in epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * The files that messages still wait for. `messages.receive` and `activities.recordEcho` store a download in one
 * transaction with its message, and `add` stores the download of a better copy. A download is removed when its file is
 * stored or given up, when its message or instance is deleted, and when the number of the instance is unlinked
 * (`forgetNumber`).
 */
export interface DownloadStore {
  /** The downloads that are due first, at most `limit` for each of these instances, in the order of `dueAt`. */
  listNext(instanceIds: readonly string[], limit: number): Promise<readonly PendingDownload[]>;
  /** Whether an instance has at least `limit` downloads. Reads at most `limit` rows. */
  isFull(instanceId: string, limit: number): Promise<boolean>;
  /** Stores the download of a file for a stored message, and replaces any pending download of that message. */
  add(lease: Lease, download: PendingDownload): Promise<'added' | 'fenced'>;
  /** Notes a failed download. Does nothing if the download is no longer pending. */
  postpone(
    lease: Lease,
    postponement: { readonly messageId: string; readonly tries: number; readonly dueAt: number },
  ): Promise<'postponed' | 'fenced'>;
  /**
   * Writes the media of the message, whose content was reserved and is now taken as in `messages.receive`, removes the
   * download and stores the event, under the lease of the instance. Writes nothing else of the message. The message's
   * previous content is then abandoned (`uploads.listAbandoned`). Returns `stale`, and writes nothing, if the download
   * is no longer pending. Rejects if the reserved content does not exist.
   */
  complete(
    lease: Lease,
    completion: { readonly message: Message; readonly event: EventRecord },
  ): Promise<'completed' | 'stale' | 'fenced'>;
  /** Removes a download, whichever process holds the instance. Returns whether it was still pending. */
  remove(instanceId: string, messageId: string): Promise<boolean>;
  /**
   * Downloads that expired before `before`, whichever processes hold their instances: the earliest first, at most
   * `limit`.
   */
  listExpired(before: number, limit: number): Promise<readonly PendingDownload[]>;
  /** The downloads of an instance in the order of their message ids, after the given id. */
  list(
    instanceId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly PendingDownload[]>;
  /**
   * In one transaction, replaces each of these references, keyed by message id, if it is still `from`. Needs no lease,
   * because it is only for the same plaintext encrypted with another key.
   */
  replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void>;
}
