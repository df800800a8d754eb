/** Positions of log records, by hash. Records rarely share a hash. */
export interface PositionsByHash {
  size(): number;
  get(hash: number): readonly number[];
  add(hash: number, position: number): void;
  deleteWhere(test: (position: number) => boolean): void;
  entries(): (readonly [hash: number, position: number])[];
}

export function positionsByHash(): PositionsByHash {
  const byHash = new Map<number, readonly number[]>();
  let size = 0;
  return {
    size: () => size,
    get: (hash) => byHash.get(hash) ?? [],
    add(hash, position) {
      const positions = byHash.get(hash);
      // A spread would reserve room for 16 more positions in each of thousands of arrays.
      byHash.set(hash, positions ? [...positions, position] : [position]);
      size += 1;
    },
    deleteWhere(test) {
      for (const [hash, positions] of byHash) {
        const left = positions.filter((position) => !test(position));
        size -= positions.length - left.length;
        if (left.length === 0) byHash.delete(hash);
        else if (left.length < positions.length) byHash.set(hash, left);
      }
    },
    entries: () =>
      [...byHash].flatMap(([hash, positions]) => positions.map((position) => [hash, position] as const)),
  };
}
