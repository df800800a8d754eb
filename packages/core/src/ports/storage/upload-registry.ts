/**
 * What content the media store holds and for which message, so that none is lost track of: content is reserved before it
 * is stored, under an id of its own (`upl_…`) or that of its message (`msg_…`), and becomes part of its message in the
 * transaction that stores the message (`messages.accept`, `messages.receive`).
 */
export interface UploadRegistry {
  /** Notes that content is about to be stored under this id. Changes nothing where that is a message's already. */
  reserve(contentId: string, now: number): Promise<void>;
  /** Content that was reserved before `before` and belongs to no message; oldest first, at most `limit`. */
  listAbandoned(before: number, limit: number): Promise<readonly string[]>;
  /** Content of messages whose instance is deleted, at most `limit`. */
  listOrphaned(limit: number): Promise<readonly string[]>;
  /** Its content is deleted: a message that had it is stored as without (`media.available` false). Nothing where it is not known. */
  release(contentId: string): Promise<void>;
}
