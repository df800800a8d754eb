import { createNewId } from '@trunkline/core/spi/storage';
import type {
  ClaimedDelivery,
  ClaimedEvent,
  Endpoint,
  Instance,
  Lease,
  Message,
  MessageAction,
  NewId,
  Storage,
  Workspace,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { anEndpoint, anInstance, aWorkspace, NOW } from '../examples.ts';
import type { Observation } from './rules.ts';
import { seededBytes } from './seeded-bytes.ts';

/** A storage, with the results that later steps need. */
export interface Side {
  readonly storage: Storage;
  /**
   * Every claim so far, including lost claims. Each side has its own, because two storages make different tokens.
   */
  readonly claims: ClaimedDelivery[];
  readonly eventClaims: ClaimedEvent[];
  readonly leases: Lease[];
  nextAt: number | null;
}

export function newSide(storage: Storage): Side {
  return { storage, claims: [], eventClaims: [], leases: [], nextAt: null };
}

/** The rows that steps choose from, as they were inserted. The model has the current state of these rows. */
export class Scenario {
  /** The reference, or the storage under test if there is none. */
  readonly model: Side;
  /** The content of the storage under test, as read after the last step. */
  seen: Observation | null = null;
  now: number = NOW;
  readonly newId: NewId = createNewId(seededBytes(2));
  readonly workspaces: Workspace[] = [];
  readonly instances: Instance[] = [];
  readonly messages: Message[] = [];
  readonly actions: MessageAction[] = [];
  readonly endpoints: Endpoint[] = [];

  constructor(model: Side) {
    this.model = model;
  }

  /** Stores two workspaces. One has two endpoints and a connected instance, which a process holds. */
  async begin(sides: ReadonlySet<Side>): Promise<void> {
    for (const name of ['Acme', 'Other']) {
      this.workspaces.push(aWorkspace({ id: this.newId('ten', this.now), name, createdAt: this.now }));
    }
    const workspace = must(this.workspaces[0]);
    const instance = anInstance(workspace, { id: this.newId('ins', this.now) });
    this.instances.push(instance);
    const subscriptions = [
      ['message.received', 'message.failed', 'instance.connected'],
      ['message.received'],
    ] as const;
    for (const events of subscriptions) {
      this.endpoints.push(anEndpoint(workspace, { id: this.newId('wh', this.now), events }));
    }
    for (const { storage, leases } of sides) {
      for (const one of this.workspaces) await storage.workspaces.insert(one);
      await storage.instances.insert(instance, null);
      for (const endpoint of this.endpoints) await storage.endpoints.insert(endpoint, 10);
      const taken = await storage.leases.claim({
        owner: 'a',
        now: this.now,
        networks: ['sandbox'],
        ttlMs: 30_000,
        limit: 10,
      });
      leases.push(...taken.map(({ lease }) => lease));
    }
  }

  /** `choice` is a small number, so that steps pick the same rows again and again. */
  pick<Value>(values: readonly Value[], choice: number): Value | null {
    return values[choice % Math.max(values.length, 1)] ?? null;
  }

  workspace(choice: number): Workspace {
    return must(this.pick(this.workspaces, choice));
  }

  async instance(choice: number): Promise<Instance | null> {
    const chosen = this.pick(this.instances, choice);
    return chosen && this.model.storage.instances.find(chosen.workspaceId, chosen.id);
  }

  async endpoint(choice: number): Promise<Endpoint | null> {
    const chosen = this.pick(this.endpoints, choice);
    return chosen && this.model.storage.endpoints.find(chosen.workspaceId, chosen.id);
  }

  /** Picks recent leases more often than old ones. */
  lease(choice: number): Lease | null {
    return this.pick(this.model.leases.toReversed(), choice);
  }
}
