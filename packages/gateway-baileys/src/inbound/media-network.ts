import type { Clock } from '@trunkline/core/spi/gateway';
import { DEF_MEDIA_HOST, DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import type { Fetch } from '../network/instance-network.ts';
import { mediaReuploads } from './media-reuploads.ts';
import type { MediaReuploads } from './media-reuploads.ts';

export interface MediaNetwork {
  readonly clock: Clock;
  readonly fetch: Fetch;
  /**
   * The media hosts that the network lists and, on WhatsApp itself, its fallback host. Hosts that failed come last.
   * Senders cannot add hosts.
   */
  hosts(how: { readonly refresh: boolean }): Promise<readonly string[]>;
  noteHost(host: string, works: boolean): void;
  readonly reuploads: MediaReuploads;
}

interface NetworkParts {
  readonly socket: WASocket;
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** The server of the connection; undefined for WhatsApp's. */
  readonly waWebSocketUrl: string | URL | undefined;
}

export function mediaNetwork({ socket, clock, fetch, waWebSocketUrl }: NetworkParts): MediaNetwork {
  const { hostname } = new URL(waWebSocketUrl ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);
  // Other servers have their own media hosts.
  const fallback = hostname.endsWith('.whatsapp.com') ? [DEF_MEDIA_HOST] : [];
  /** When each host last failed, unless it has worked since. */
  const failedAt = new Map<string, number>();
  return {
    clock,
    fetch,
    async hosts({ refresh }) {
      const { hosts } = await socket.refreshMediaConn(refresh);
      const names = new Set([...hosts.map(({ hostname: name }) => name), ...fallback]);
      for (const host of failedAt.keys()) if (!names.has(host)) failedAt.delete(host);
      return [...names].toSorted((a, b) => (failedAt.get(a) ?? 0) - (failedAt.get(b) ?? 0));
    },
    noteHost(host, works) {
      if (works) failedAt.delete(host);
      else failedAt.set(host, clock.now());
    },
    reuploads: mediaReuploads(socket, clock),
  };
}
