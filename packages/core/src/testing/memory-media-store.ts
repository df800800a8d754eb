import { checkMediaId } from '../domain/message/media-rules.ts';
import type { MediaStore } from '../ports/media-store.ts';

/** A media store that keeps everything in memory, for tests. */
export function memoryMediaStore(): MediaStore & {
  /** The ids of the files in the store. */
  readonly ids: () => readonly string[];
} {
  const files = new Map<string, Uint8Array>();
  return {
    ids: () => [...files.keys()],
    async put(id, content) {
      checkMediaId(id);
      const bytes = new Uint8Array(await new Response(content).arrayBuffer());
      files.set(id, bytes);
      return bytes.byteLength;
    },
    size: async (id) => files.get(checkMediaId(id))?.byteLength ?? null,
    async get(id, range) {
      const bytes = files.get(checkMediaId(id));
      if (!bytes) return null;
      return new Blob([(range ? bytes.slice(range.start, range.end + 1) : bytes).slice()]).stream();
    },
    async delete(id) {
      files.delete(checkMediaId(id));
    },
    async list({ after, limit }) {
      const left = [...files.keys()].filter((id) => after === null || id > after).toSorted();
      const ids = left.slice(0, limit);
      return { ids, next: left.length > limit ? (ids.at(-1) ?? null) : null };
    },
  };
}
