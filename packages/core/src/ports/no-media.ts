import type { MediaStore } from './media-store.ts';

/** The media store of an installation that keeps no files. */
export const noMedia: MediaStore = {
  async put(_id, content) {
    await content.cancel();
    throw new Error('No media store is configured.');
  },
  size: async () => null,
  get: async () => null,
  async delete() {},
};
