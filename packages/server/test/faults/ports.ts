import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An operation of a port, as its interface declares it. */
export interface Operation {
  /** The name, such as `messages.accept`, `storage.open`, `connection.send`. */
  readonly name: string;
  /** Whether the operation returns a promise; if not, it can fail only by throwing. */
  readonly isAsync: boolean;
  /** Results which mean that nothing was done, without an error. */
  readonly refusals: readonly { readonly column: 'fenced' | 'stale' | 'none'; readonly value: unknown }[];
}

/**
 * The interfaces by their operations' prefix in the matrix. The runtime's interfaces, such as its randomness, are not
 * included, because a program whose runtime fails cannot continue.
 */
const PORTS = {
  storage: 'Storage',
  gateway: 'Gateway',
  connection: 'GatewayConnection',
  media: 'MediaStore',
  notifier: 'Notifier',
  webhookSender: 'WebhookSender',
  dns: 'DnsResolver',
  logger: 'Logger',
} as const;

/**
 * Every operation of every port, read from the sources of the interfaces, so that an added operation is simulated
 * without being listed here.
 */
export function operationsOfPorts(): readonly Operation[] {
  const directory = join(import.meta.dirname, '../../../core/src/ports');
  const sources = globSync('**/*.ts', { cwd: directory }).map((file) =>
    readFileSync(join(directory, file), 'utf8'),
  );
  const interfaces = new Map(sources.flatMap(interfacesIn));
  const fencedKinds = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/export type (\w+) =([^]*?)\n(?=\n|export)/g)].flatMap(
        ([, name = '', type = '']) => (type.includes("'fenced'") ? [name] : []),
      ),
    ),
  );
  const operations = (port: string, name: string): Operation[] =>
    (interfaces.get(name) ?? []).flatMap(({ comment, declaration }) => {
      const [, part, type = ''] = /^ {2}readonly (\w+): (\w+)/.exec(declaration) ?? [];
      if (part !== undefined && interfaces.has(type)) return operations(part, type);
      if (part !== undefined && type === 'LogFunction')
        return [{ name: `${port}.${part}`, isAsync: false, refusals: [] }];
      const [, method] = /^ {2}(\w+)\??(?:<.*?>)?\(/.exec(declaration) ?? [];
      const [, returned = ''] = /.*\): ([^]*);$/.exec(declaration.replaceAll('\n', ' ')) ?? [];
      if (method === undefined) return [];
      return [
        {
          name: `${port}.${method}`,
          isAsync: returned.startsWith('Promise<'),
          refusals: refusalsIn(returned, comment, fencedKinds),
        },
      ];
    });
  return Object.entries(PORTS).flatMap(([port, name]) => operations(port, name));
}

function refusalsIn(
  returned: string,
  comment: string,
  fencedKinds: ReadonlySet<string>,
): Operation['refusals'] {
  const [, named = ''] = /^Promise<(\w+)>$/.exec(returned) ?? [];
  const counts =
    returned === 'Promise<number>' && /\bhow many\b|\breturns the[\s*]+number of\b/i.test(comment);
  return [
    ...(returned.includes("'fenced'") ? [{ column: 'fenced' as const, value: 'fenced' }] : []),
    ...(fencedKinds.has(named) ? [{ column: 'fenced' as const, value: { kind: 'fenced' } }] : []),
    ...(returned.includes("'stale'") ? [{ column: 'stale' as const, value: 'stale' }] : []),
    ...(fencedKinds.has(named) ? [{ column: 'stale' as const, value: { kind: 'stale' } }] : []),
    ...(counts ? [{ column: 'none' as const, value: 0 }] : []),
    ...(/^Promise<readonly \w+\[\]>$/.test(returned) ? [{ column: 'none' as const, value: [] }] : []),
  ];
}

/** The storage operations that a service calls between its start and its stop. */
export function operationsOfStorage(): readonly Operation[] {
  const others = Object.keys(PORTS).filter((port) => port !== 'storage');
  return operationsOfPorts().filter(
    ({ name, isAsync }) =>
      isAsync &&
      !['storage.open', 'storage.close'].includes(name) &&
      !others.some((port) => name.startsWith(`${port}.`)),
  );
}

interface Member {
  readonly comment: string;
  readonly declaration: string;
}

function interfacesIn(source: string): [string, Member[]][] {
  const found = source.matchAll(/export interface (\w+)(?:<[^>]*>)?(?: extends [^{]+)? \{\n([^]*?)\n\}/g);
  return [...found].map(([, name = '', body = '']) => [name, membersOf(body)]);
}

function membersOf(body: string): Member[] {
  const found = body.matchAll(/(?:^ {2}\/\*\*([^]*?)\*\/\n)?(^ {2}\w[^]*?;$)(?=\n+ {2}[\w/]|(?![^]))/gm);
  return [...found].map(([, comment = '', declaration = '']) => ({ comment, declaration }));
}
