import type { Clock } from '@trunkline/core/spi/gateway';
import { DEF_MEDIA_HOST, DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import type { Fetch } from '../network/instance-network.ts';
import { mediaReuploads } from './media-reuploads.ts';
import type { MediaReuploads } from './media-reuploads.ts';

/** What downloads need of a connection. */
export interface MediaNetwork {
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** The media hosts that the network names, in its order, and its fallback; never one that a sender names. */
  hosts(how: { readonly refresh: boolean }): Promise<readonly string[]>;
  readonly reuploads: MediaReuploads;
}

interface NetworkParts {
  readonly socket: WASocket;
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** The server of the connection, unless it is WhatsApp's. */
  readonly waWebSocketUrl: string | URL | undefined;
}

export function mediaNetwork({ socket, clock, fetch, waWebSocketUrl }: NetworkParts): MediaNetwork {
  const { hostname } = new URL(waWebSocketUrl ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);
  // Another server has media hosts of its own.
  const fallback = hostname.endsWith('.whatsapp.com') ? [DEF_MEDIA_HOST] : [];
  return {
    clock,
    fetch,
    async hosts({ refresh }) {
      const { hosts } = await socket.refreshMediaConn(refresh);
      return [...new Set([...hosts.map(({ hostname: name }) => name), ...fallback])];
    },
    reuploads: mediaReuploads(socket, clock),
  };
}
