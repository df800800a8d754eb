import type { Agent } from 'node:https';
import type { Dispatcher } from 'undici';

export interface NetworkOptions {
  readonly proxy?: string | URL | undefined;
  readonly agent?: Agent | undefined;
  readonly fetchAgent?: Agent | undefined;
}

/** How all requests of the gateway for one instance reach the network. */
export interface InstanceNetwork {
  /** The WebSocket's agent; undefined for none. */
  readonly agent: Agent | undefined;
  /** The agent for uploads. */
  readonly fetchAgent: Agent | undefined;
  /** The dispatcher for Baileys' own requests. */
  readonly dispatcher: Dispatcher | undefined;
  readonly fetch: Fetch;
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** Loads code for proxies and agents only for those who have one. */
export async function instanceNetwork({
  proxy,
  agent,
  fetchAgent,
}: NetworkOptions): Promise<InstanceNetwork> {
  const through = proxy === undefined ? undefined : (await import('./proxy-agent.ts')).proxyAgent(proxy);
  const fetching = through ?? fetchAgent ?? agent;
  const dispatcher = fetching && (await import('./dispatcher-through.ts')).dispatcherThrough(fetching);
  return {
    agent: through ?? agent,
    fetchAgent: fetching,
    dispatcher,
    fetch: (address, init) => fetch(address, { ...init, ...withDispatcher(dispatcher) }),
  };
}

export function withDispatcher(dispatcher: Dispatcher | undefined): RequestInit {
  // The types of Node's fetch come from another version of undici.
  return dispatcher ? ({ dispatcher } as unknown as RequestInit) : {};
}
