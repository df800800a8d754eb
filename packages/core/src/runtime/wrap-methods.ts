export type Method = (...args: readonly unknown[]) => unknown;

/**
 * Returns an object with the same members, each method as `wrap` returns it. A method is looked up at each call, so
 * that a method that was replaced later is wrapped too.
 */
export function wrapMethods<Port extends object>(
  port: Port,
  wrap: (name: string, method: Method) => Method,
): Port {
  const wrapped = namesOf(port).map((name): [string, unknown] => {
    const member: unknown = Reflect.get(port, name);
    if (typeof member !== 'function') return [name, member];
    // The cast is safe: the member was a function when it was wrapped.
    const methods = port as Readonly<Record<string, Method>>;
    return [name, wrap(name, (...args) => methods[name]?.(...args))];
  });
  return Object.fromEntries(wrapped) as Port; // safe: the same names, with methods of the same types
}

/**
 * Returns the same object with each call made by `wrap`, including calls of the objects in it, such as the
 * stores of a storage.
 */
export function wrapCalls<Port extends object>(port: Port, wrap: (call: () => unknown) => unknown): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null) return wrapCalls(member, wrap);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => wrap(() => Reflect.apply(member, target, args));
    },
  });
}

/** Includes the methods of a class and its superclasses. */
function namesOf(port: object): readonly string[] {
  const names = new Set<string>();
  for (
    let owner: object | null = port;
    owner && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object | null // safe: a prototype is an object or null
  )
    for (const name of Object.getOwnPropertyNames(owner)) if (name !== 'constructor') names.add(name);
  return [...names];
}
