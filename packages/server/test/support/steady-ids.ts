export interface SteadyIds {
  /** Replaces real ids with numbered ids; the same id always gets the same number. */
  show(text: string): string;
  /** Replaces the numbered ids that were shown with the real ids. */
  reveal(text: string): string;
}

/** Numbered ids are as long as real ids. Each kind of id is numbered in order of appearance. */
export function steadyIds(): SteadyIds {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    show: (text) =>
      text.replaceAll(/\b(ins|msg|evt|whd|wh|ten)_[0-9a-hjkmnp-tv-z]{26}\b/g, (id, prefix: string) => {
        const seen = known.get(id);
        if (seen !== undefined) return seen;
        const count = (counts.get(prefix) ?? 0) + 1;
        counts.set(prefix, count);
        const name = `${prefix}_01m7${String(count).padStart(22, '0')}`;
        known.set(id, name);
        return name;
      }),
    reveal: (text) => [...known].reduce((revealed, [id, name]) => revealed.replaceAll(name, id), text),
  };
}
