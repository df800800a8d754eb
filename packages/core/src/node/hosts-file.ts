import { readFile } from 'node:fs/promises';

/** How long the file's content is used before the file is read again. */
const FRESH_MS = 5_000;

/**
 * The file in which an administrator maps names to addresses. Name servers are not asked about these names.
 */
export interface HostsFile {
  /** Addresses in the order of the file; empty for an unlisted name. */
  addressesOf(hostname: string): Promise<readonly string[]>;
}

export function hostsFile(path: string = systemHostsFile()): HostsFile {
  let read: Promise<ReadonlyMap<string, readonly string[]>> | null = null;
  let readAt = 0;
  return {
    async addressesOf(hostname) {
      const now = performance.now();
      if (read === null || now - readAt > FRESH_MS) {
        // A missing or unreadable file counts as empty.
        read = readFile(path, 'utf8').then(parseHosts, () => new Map());
        readAt = now;
      }
      return (await read).get(normal(hostname)) ?? [];
    },
  };
}

function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/s, '').trim().split(/\s+/);
    if (address === undefined) continue;
    for (const name of names) hosts.set(normal(name), [...(hosts.get(normal(name)) ?? []), address]);
  }
  return hosts;
}

function normal(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function systemHostsFile(): string {
  const windows = process.env['SystemRoot'];
  return process.platform === 'win32' && windows !== undefined
    ? `${windows}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts';
}
