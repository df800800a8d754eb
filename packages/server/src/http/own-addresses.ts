import type { OwnAddress } from '@trunkline/core';
import { listeningAddresses } from '@trunkline/core/node';
import type { HttpListener } from './http-listener.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Returns a function that lists the addresses at which any listener of this server can be reached on a port. A webhook
 * to such an address could use the rights of this machine, or read metrics meant only for Prometheus.
 */
export function ownAddresses(
  listeners: readonly Pick<HttpListener, 'address'>[],
  { publicUrl }: Pick<Settings, 'publicUrl'>,
): (port: number) => readonly OwnAddress[] {
  const known = publicUrl === undefined ? [] : [addressIn(new URL(publicUrl))];
  return (port) => [...listeners.flatMap(({ address }) => listeningAddresses(address, port)), ...known];
}

function addressIn({ protocol, hostname, port }: URL): OwnAddress {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const usualPort = protocol === 'https:' ? 443 : 80;
  return { host, port: port === '' ? usualPort : Number(port) };
}
