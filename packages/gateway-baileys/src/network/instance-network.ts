import type { Agent } from 'node:https';
import type { Dispatcher } from 'undici';
import { dispatcherThrough } from './dispatcher-through.ts';
import { proxyAgent } from './proxy-agent.ts';

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

export function instanceNetwork({ proxy, agent, fetchAgent }: NetworkOptions): InstanceNetwork {
  const through = proxy === undefined ? undefined : proxyAgent(proxy);
  const fetching = through ?? fetchAgent ?? agent;
  const dispatcher = fetching && dispatcherThrough(fetching);
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
