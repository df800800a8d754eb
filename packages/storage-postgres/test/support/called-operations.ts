import type { Storage } from '@trunkline/core/spi/storage';

export interface CalledOperations {
  watch<Watched extends Storage<never>>(storage: Watched): Watched;
  /** The operations that were not called, such as `messages.accept`. */
  missing(): readonly string[];
}

export function calledOperations(): CalledOperations {
  const called = new Map<string, boolean>();

  const watchIn = <Watched extends object>(object: Watched, prefix: string): Watched => {
    const watched = Object.entries(object).map(([name, value]: [string, unknown]) => {
      const path = `${prefix}${name}`;
      if (typeof value === 'object' && value !== null) return [name, watchIn(value, `${path}.`)];
      if (typeof value !== 'function') return [name, value];
      called.set(path, called.get(path) ?? false);
      return [
        name,
        (...values: unknown[]): unknown => {
          called.set(path, true);
          return Reflect.apply(value, object, values);
        },
      ];
    });
    return Object.fromEntries(watched) as Watched; // it has the same properties
  };

  return {
    watch: (storage) => watchIn(storage, ''),
    missing: () => [...called].filter(([, wasCalled]) => !wasCalled).map(([path]) => path),
  };
}
