import { latestRegistration } from '../../domain/too-far-ahead.ts';
import type { GatewayShare } from '../../domain/instance/instance-shares.ts';
import type { ProcessRegistry } from '../../ports/storage/process-registry.ts';
import { needsGateway } from './lease.ts';
import { compareCodePoints } from './order.ts';
import type { State } from './state.ts';

export class MemoryProcessRegistry implements ProcessRegistry {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async register(
    owner: string,
    report: { readonly now: number; readonly since: number; readonly asksUntil?: number },
  ): Promise<GatewayShare> {
    const { now, since, asksUntil = 0 } = report;
    const { owners, instances } = this.#state;
    for (const [other, { registeredAt }] of owners) {
      if (registeredAt <= since || registeredAt > latestRegistration(now)) owners.delete(other);
    }
    owners.set(owner, { registeredAt: now, asksUntil });
    const needing = [...instances.values()].filter(({ instance }) => needsGateway(instance));
    const held = needing.filter(({ lease }) => lease.expiresAt > now);
    return {
      owners: [...owners]
        .map(([name, known]) => ({
          owner: name,
          held: held.filter(({ lease }) => (lease.owner ?? lease.reservedFor) === name).length,
          ...known,
        }))
        .toSorted((a, b) => compareCodePoints(a.owner, b.owner)),
      instances: needing.length,
    };
  }

  async deregister(owner: string): Promise<void> {
    this.#state.owners.delete(owner);
  }
}
