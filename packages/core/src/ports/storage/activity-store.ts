import type { EventRecord } from '../../domain/event/event.ts';
import type { ContentChange } from '../../domain/message/content-change.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Vote } from '../../domain/message/vote.ts';
import type { PendingDownload } from './download-store.ts';
import type { Lease } from './lease.ts';

/** An event in a chat that is neither a message nor a receipt, such as a reaction, an edit or a call. */
export interface RecordedActivity {
  /**
   * Identifies a repeat among the activities of the instance; at most 100 characters. Null if the activity cannot be
   * repeated.
   */
  readonly key: string | null;
  /** Epoch milliseconds. */
  readonly recordedAt: number;
  /** Null if the activity does not change a message. */
  readonly change: ContentChange | null;
  /** A vote in a poll of the instance. It replaces the votes of `voterIds`, which are the ids of one person. */
  readonly vote?: { readonly vote: Vote; readonly voterIds: readonly string[] };
  readonly event: EventRecord;
}

/** A message that the owner of the number sent with the phone or another linked device. */
export interface Echo {
  readonly message: Message;
  readonly event: EventRecord;
  /** The later download of the file, if the file has not come yet. */
  readonly download: PendingDownload | null;
}

/** Stores the activities in the chats of each instance: the event of an activity, its change and its key. */
export interface ActivityStore {
  /**
   * Stores an activity once, in one transaction under the instance's lease, which is checked first. Returns `repeat` if
   * the key is already stored, and `stale` if the message to change does not exist, belongs to another instance, or was
   * edited or deleted since (`changeContent`). A vote is a `repeat` if a stored one of the person is newer or the same (`isOutdatedVote`), and `stale` if its message or its
   * contact does not exist, or the message was deleted. In all these cases, and if the lease is lost, nothing is written. If the
   * activity deletes a message, the message's pending download is removed, its content is abandoned
   * (`uploads.listAbandoned`), and its events in the log lose its words (`forgetWords`).
   */
  record(lease: Lease, activity: RecordedActivity): Promise<'recorded' | 'repeat' | 'stale' | 'fenced'>;
  /**
   * Inserts an echo once: a repeat is an outbound message of the instance with the same network id, unless that message
   * was accepted with a readable network id, which the caller looks up first (`findOutbound`). Takes reserved content
   * as `messages.receive` does, and stores the event and the pending download in the same transaction. `contact_gone` as
   * from `messages.receive`.
   */
  recordEcho(lease: Lease, echo: Echo): Promise<'recorded' | 'repeat' | 'contact_gone' | 'fenced'>;
  /** Deletes keys of activities that were recorded before `before`, at most `limit`. Returns how many. */
  deleteKeys(before: number, limit: number): Promise<number>;
}
