/**
 * Keeps the content of media messages, each under an id of 3 to 64 letters, digits and underscores. A file must never
 * be in memory as a whole. The storage knows to which message a file belongs, and how long it is kept; a media store
 * only keeps bytes.
 *
 * The service gives up a lookup after 15 to 20 s, and a file without progress after 30 to 35 s: it cancels the stream
 * that it reads, or fails the stream that the store reads. A slow reader or source does not count as the store's delay.
 */
export interface MediaStore {
  /**
   * Resolves with the number of bytes once all of them are durable. If it rejects, with an error of the stream or of
   * the store (an `UnavailableError` if the failure may pass), the store keeps nothing.
   */
  put(id: string, content: ReadableStream<Uint8Array>): Promise<number>;
  /** The size in bytes; null if there is no file with this id. */
  size(id: string): Promise<number | null>;
  /** Null if there is no file with this id. `range` is inclusive and within the file. */
  get(
    id: string,
    range?: {
      /** The first byte, from 0. */
      readonly start: number;
      /** The last byte, included. */
      readonly end: number;
    },
  ): Promise<ReadableStream<Uint8Array> | null>;
  /** Does nothing if there is no file with this id. */
  delete(id: string): Promise<void>;
  /**
   * Lists the ids of everything that takes up space, incomplete files included, a page at a time. Absent if another
   * service may keep files in the same place, because files that the storage does not know are deleted.
   */
  list?(request: MediaPageRequest): Promise<MediaPage>;
}

/** The page to list. */
export interface MediaPageRequest {
  /** The `next` of the previous page; null for the first page. */
  readonly after: string | null;
  /** The maximum number of ids in a page. A page may have fewer, or none, without being the last page. */
  readonly limit: number;
}

/** A page of the ids in a media store. */
export interface MediaPage {
  /** In an order that the store chooses. */
  readonly ids: readonly string[];
  /** The place where the next page begins; null at the end. */
  readonly next: string | null;
}

/** The media store of a service that keeps no files. */
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
