import type { EventRecord } from '../../domain/event/event.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Lease } from './lease.ts';

/** A file of an inbound message that the network has not delivered yet, with the facts needed to ask for it again. */
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
  /** When it is given up, in epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * The files that messages still wait for. A message enters with `messages.receive`, which stores it and its pending
 * download in one transaction, or when a better copy of its file is to be downloaded. Its download is removed when its file is stored or given up, and with its
 * instance. When the number of an instance is unlinked (`forgetNumber`), all of its downloads are removed.
 */
export interface DownloadStore {
  /** The downloads that are due first, at most `limit` for each of these instances; in the order of `dueAt`. */
  listNext(instanceIds: readonly string[], limit: number): Promise<readonly PendingDownload[]>;
  /** Whether an instance has at least `limit` downloads. Reads no more than that. */
  isFull(instanceId: string, limit: number): Promise<boolean>;
  /** Stores the download of a file for a stored message, and replaces one that is already pending. */
  add(lease: Lease, download: PendingDownload): Promise<'added' | 'fenced'>;
  /** Notes a failure. Does nothing if the download is no longer pending. */
  postpone(
    lease: Lease,
    postponement: { readonly messageId: string; readonly tries: number; readonly dueAt: number },
  ): Promise<'postponed' | 'fenced'>;
  /**
   * Writes the media of the message, whose content was reserved and is now taken as in `messages.receive`, removes the
   * download and stores the event, under the lease of the instance. Writes nothing else of the message. The message's
   * previous content is then abandoned (`uploads.listAbandoned`). `stale` if the download is no longer pending: then
   * nothing is written. Rejects if that content does not exist.
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
  /** The downloads of an instance in the order of their message ids, from after this one on. */
  list(
    instanceId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly PendingDownload[]>;
  /**
   * In one transaction, replaces each reference, by message id, that is still `from`. Only for the same plaintext
   * encrypted with another key: it needs no lease.
   */
  replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void>;
}
