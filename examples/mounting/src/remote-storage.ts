import type { Storage } from '@trunkline/core';

/** The names of a storage's ports, with those of their methods. Its own methods have no names. */
export type Ports = Readonly<Record<string, readonly string[]>>;

export function portsOf(storage: object): Ports {
  const entries = Object.entries(storage);
  return Object.fromEntries(
    entries.map(([name, part]) => [name, typeof part === 'function' ? [] : Object.keys(part)]),
  );
}

/** A binding to another service, as a worker has it. */
export interface Binding {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A storage that another process has open: each call is a request, and no signals arrive. */
export function remoteStorage(binding: Binding, ports: Ports): Storage {
  const calling =
    (...path: readonly string[]) =>
    async (...values: readonly unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ path, values }, encoded);
      const response = await binding.fetch('http://storage/', { method: 'POST', body });
      if (!response.ok) throw new Error(await response.text());
      return (JSON.parse(await response.text(), decoded) as { result?: unknown }).result;
    };
  const port = (name: string, methods: readonly string[]) =>
    Object.fromEntries(methods.map((method) => [method, calling(name, method)]));
  const parts = Object.entries(ports).map(([name, methods]) => [
    name,
    methods.length === 0 ? calling(name) : port(name, methods),
  ]);
  const own = { open: async () => {}, close: async () => {}, subscribe: () => () => {} };
  // The names are those of a whole storage.
  return { ...Object.fromEntries(parts), ...own } as Storage;
}

/** Carries out a call of `remoteStorage` on the storage itself. */
export async function carryOut(storage: object, request: { text(): Promise<string> }): Promise<Response> {
  // Only `remoteStorage` makes such requests.
  const call = JSON.parse(await request.text(), decoded) as { path: [string]; values: unknown[] };
  const port: unknown = call.path.length === 1 ? storage : Reflect.get(storage, call.path[0]);
  try {
    const result: unknown = await Reflect.apply(
      Reflect.get(Object(port), call.path.at(-1) ?? ''),
      port,
      call.values,
    );
    return new Response(JSON.stringify({ result }, encoded));
  } catch (error) {
    return new Response(String(error), { status: 500 });
  }
}

function encoded(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  return value === undefined ? { isUndefined: true } : value;
}

function decoded(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('isUndefined' in value) return undefined;
  return 'bytes' in value && Array.isArray(value.bytes) ? Uint8Array.from(value.bytes) : value;
}
