/**
 * Keeps the content of media messages, each under an id of 3 to 64 letters, digits and underscores. A file never sits in memory whole. For which message it is kept,
 * and until when, is the storage's to know; a media store only keeps bytes.
 */
export interface MediaStore {
  /**
   * Resolves with the number of bytes once all of them are durable. Rejects with the stream's own error, or with the
   * store's (an `UnavailableError` where it may pass), and then keeps nothing.
   */
  put(id: string, content: ReadableStream<Uint8Array>): Promise<number>;
  /** In bytes; null when nothing is kept under this id. */
  size(id: string): Promise<number | null>;
  /** Null when nothing is kept under this id. `range` is inclusive and within the file. */
  get(
    id: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<ReadableStream<Uint8Array> | null>;
  /** Does nothing when it is gone. */
  delete(id: string): Promise<void>;
}

/** The media store of an installation that keeps no files. */
export const noMedia: MediaStore = {
  async put(_id, content) {
    await content.cancel();
    throw new Error(
      'No media store is configured, so no file can be stored: give createTrunkline the option "media".',
    );
  },
  size: async () => null,
  get: async () => null,
  async delete() {},
};
