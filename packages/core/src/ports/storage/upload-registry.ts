/**
 * Keeps track of the content in the media store, and of the message that it belongs to. Content is reserved before it
 * is stored, under its own id (`upl_…`) or the id of its message (`msg_…`). It becomes part of its message in the
 * transaction that stores the message (`messages.accept`, `messages.receive`).
 */
export interface UploadRegistry {
  /**
   * Notes that content is about to be stored under this id. Does nothing if that content already belongs to a message.
   */
  reserve(contentId: string, now: number): Promise<void>;
  /**
   * Reserves the ids that are not known yet, of content that was found in the media store. Returns how many ids were
   * reserved.
   */
  reserveUnknown(contentIds: readonly string[], now: number): Promise<number>;
  /** Content that was reserved before `before` and belongs to no message; oldest first, at most `limit`. */
  listAbandoned(before: number, limit: number): Promise<readonly string[]>;
  /** Content of messages whose instance is deleted, at most `limit`. */
  listOrphaned(limit: number): Promise<readonly string[]>;
  /**
   * Notes that the content is deleted, so that `media.available` of its message is false. Does nothing for an unknown
   * id.
   */
  release(contentId: string): Promise<void>;
}
