import { latestRegistration } from '../../domain/too-far-ahead.ts';
import type { GatewayShare } from '../../domain/instance/instance-shares.ts';
import type {
  ProcessRegistry,
  ProcessReport,
  ReportedProcess,
} from '../../ports/storage/process-registry.ts';
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

  async report(
    report: ProcessReport,
    { now, since }: { readonly now: number; readonly since: number },
  ): Promise<void> {
    const { reports } = this.#state;
    for (const { name, reportedAt } of reports.values()) {
      if (reportedAt <= since || reportedAt > latestRegistration(now)) reports.delete(name);
    }
    reports.set(report.name, structuredClone(report));
  }

  async withdraw(name: string): Promise<void> {
    this.#state.reports.delete(name);
  }

  async list({
    now,
    limit,
  }: {
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly ReportedProcess[]> {
    const leases = [...this.#state.instances.values()].map(({ lease }) => lease);
    return [...this.#state.reports.values()]
      .toSorted((a, b) => compareCodePoints(a.name, b.name))
      .slice(0, limit)
      .map((report) => ({
        ...structuredClone(report),
        held: leases.filter(({ owner, expiresAt }) => owner === report.name && expiresAt > now).length,
      }));
  }
}
