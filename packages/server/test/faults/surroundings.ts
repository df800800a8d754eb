import type { Gateway, MediaStore, Storage, TrunklineOptions } from '@trunkline/core';
import type { SandboxMessage } from '@trunkline/core/sandbox';
import { createSandbox } from '@trunkline/core/sandbox';
import { memoryMediaStore } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import type { SimulatedClock } from './simulated-clock.ts';

/** The parts on which a simulated service runs. */
export interface Surroundings {
  readonly storage: Storage;
  readonly media: MediaStore;
  readonly network: Network;
  readonly telemetry?: Pick<TrunklineOptions, 'meterProvider' | 'tracerProvider'>;
  close(): Promise<void>;
}

export type Surround = (clock: SimulatedClock) => Promise<Surroundings>;

/** The network behind the gateway, with the phones of the instances. Rejects what a phone cannot do now. */
export interface Network {
  readonly gateway: Gateway;
  scan(instanceId: string, code: string): Promise<void>;
  /** Sends a message from a person to the instance. Returns the message's network id. */
  receive(
    instanceId: string,
    message: Pick<SandboxMessage, 'groupNetworkId' | 'file'> & {
      readonly from: string;
      readonly text: string;
    },
  ): Promise<string>;
  /** Causes chat events other than messages; absent if the network has none. */
  act?(instanceId: string, about: string): Promise<void>;
  drop(instanceId: string): Promise<void>;
  /** Drops an instance, and refuses its connections for `ms`; absent if the network cannot do that. */
  away?(instanceId: string, ms: number): Promise<void>;
  /** The messages that the network has accepted, each network id once. */
  accepted(instanceId: string): readonly { readonly networkId: string; readonly text: string }[];
}

export const inMemory: Surround = async (clock) => ({
  storage: sometimesBusy(sqliteStorage({ path: ':memory:' })),
  media: memoryMediaStore(),
  network: sandboxNetwork(clock),
  close: async () => undefined,
});

/** Reports the outcomes of every third call as busy, as if other processes were working in their lanes. */
function sometimesBusy(storage: Storage): Storage {
  const { deliveries } = storage;
  let calls = 0;
  return {
    ...storage,
    deliveries: {
      ...deliveries,
      async completeAndClaim(completions, claim) {
        calls += 1;
        if (calls % 3 > 0) return deliveries.completeAndClaim(completions, claim);
        return { ...(await deliveries.claim(claim)), completed: completions.map(() => 'busy') };
      },
    },
  };
}

function sandboxNetwork(clock: SimulatedClock): Network {
  const { gateway, phone } = createSandbox();
  const awayUntil = new Map<string, number>();
  /** Ignores a failure, because the instance may have no connection. */
  const drop = (instanceId: string): void =>
    void phone(instanceId)
      .drop()
      .catch(() => undefined);
  return {
    gateway: {
      ...gateway,
      async open(session, listener, options) {
        if (clock.now() >= (awayUntil.get(session.instanceId) ?? 0))
          return gateway.open(session, listener, options);
        // Like a refused connection, ends only after `open` has returned.
        clock.setTimer(
          25,
          () => void listener.closed({ kind: 'dropped', detail: 'network_down' }).catch(() => {}),
        );
        return {
          send: () => Promise.reject(new Error('not open')),
          close: async () => {},
          logout: async () => {},
        };
      },
    },
    async away(instanceId, ms) {
      const until = clock.now() + ms;
      drop(instanceId);
      awayUntil.set(instanceId, until);
    },
    scan: (instanceId) => phone(instanceId).scan(),
    receive: (instanceId, message) => phone(instanceId).receive(message),
    async act(instanceId, about) {
      await phone(instanceId).react({ about, from: '34600000011', emoji: '👍' });
      await phone(instanceId).edit({ about, from: '34600000011', text: 'edited' });
      await phone(instanceId).write({ to: '34600000011', text: 'by the phone' });
      await phone(instanceId).call({ from: '34600000011' });
      const groupNetworkId = await phone(instanceId).addGroup({ name: 'New', participantsCount: 3 });
      await phone(instanceId).receive({ from: '34600000011', text: 'in a group', groupNetworkId });
    },
    drop: async (instanceId) => drop(instanceId),
    accepted: (instanceId) => phone(instanceId).accepted(),
  };
}
