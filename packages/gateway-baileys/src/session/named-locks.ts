/** Runs work alone among all work with one of the same names, in the order of the calls. */
export interface NamedLocks {
  run<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result>;
}

export function createNamedLocks(): NamedLocks {
  /** Resolves when the last work with this name has ended. */
  const tails = new Map<string, Promise<void>>();
  return {
    async run(names, work) {
      // All places are taken together, so that no two wait for each other.
      const before = names.map((name) => tails.get(name) ?? Promise.resolve());
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      for (const name of names) tails.set(name, ended);
      await Promise.all(before);
      try {
        return await work();
      } finally {
        for (const name of names) if (tails.get(name) === ended) tails.delete(name);
        resolve();
      }
    },
  };
}
