import type { Storage } from '../../src/index.ts';

/**
 * The storage as one process sees it. Once that process is killed, its reads and writes are rejected, and it gets no
 * signals.
 */
export function killable(storage: Storage): { readonly storage: Storage; kill(): void; isDead(): boolean } {
  let dead = false;
  const guarded = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: readonly unknown[]): unknown =>
          dead ? Promise.reject(new Error('This process was killed.')) : Reflect.apply(member, target, args);
      },
    });
  const parts = Object.entries(storage).map(([name, part]: [string, unknown]) => [
    name,
    typeof part === 'object' && part !== null ? guarded(part) : part,
  ]);
  const killable = guarded(storage);
  return {
    storage: {
      ...(Object.fromEntries(parts) as Storage), // the same parts under the same names
      setting: killable.setting,
      replaceSetting: killable.replaceSetting,
      subscribe: (listener) => storage.subscribe((signal) => (dead ? undefined : listener(signal))),
      close: async () => {},
    },
    kill() {
      dead = true;
    },
    isDead: () => dead,
  };
}
