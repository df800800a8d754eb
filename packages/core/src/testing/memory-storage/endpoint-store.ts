import { healthWhenClosed } from '../../domain/endpoint/endpoint-state.ts';
import { isAsDecidedOn } from '../../domain/endpoint/endpoint.ts';
import type { Endpoint, FailureRecord } from '../../domain/endpoint/endpoint.ts';
import type { EndpointStore, EndpointWrite } from '../../ports/storage/endpoint-store.ts';
import type { NotificationClaim, OwedNotification } from '../../ports/storage/owed-notification.ts';
import { Lane } from './lane.ts';
import { byId } from './order.ts';
import { isWorkPostponed } from './postponement.ts';
import { insertRow } from './state.ts';
import type { State } from './state.ts';

export class MemoryEndpointStore implements EndpointStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async insert(endpoint: Endpoint, limit: number): Promise<'inserted' | 'limit_reached'> {
    if (this.#ofWorkspace(endpoint.workspaceId).length >= limit) return 'limit_reached';
    insertRow(this.#state.endpoints, endpoint.id, structuredClone(endpoint));
    this.#state.lanes.set(endpoint.id, new Lane(endpoint.id));
    return 'inserted';
  }

  async find(workspaceId: string, id: string): Promise<Endpoint | null> {
    return structuredClone(this.#endpoint(workspaceId, id) ?? null);
  }

  async list(workspaceId: string): Promise<readonly Endpoint[]> {
    return structuredClone(this.#ofWorkspace(workspaceId).toSorted((a, b) => byId(b, a)));
  }

  async write(write: EndpointWrite): Promise<'written' | 'stale' | 'limit_reached'> {
    const { endpoint, health, close, notification, enabledLimit } = write;
    const stored = this.#endpoint(endpoint.workspaceId, endpoint.id);
    if (!stored || !isAsDecidedOn(stored, write)) return 'stale';
    if (enabledLimit !== undefined && this.#enabledBeside(endpoint) >= enabledLimit) return 'limit_reached';
    if (notification) this.#state.notifications.add(notification);
    const kept = close ? healthWhenClosed(stored.health) : stored.health;
    this.#state.endpoints.set(
      endpoint.id,
      structuredClone({
        ...endpoint,
        health: health ? { ...kept, ...failureRecord(endpoint.health) } : kept,
        version: endpoint.version + 1,
      }),
    );
    if (close) this.#state.lanes.get(endpoint.id)?.close(close);
    return 'written';
  }

  #enabledBeside({ id, workspaceId }: Endpoint): number {
    const others = [...this.#state.endpoints.values()].filter((one) => one.workspaceId === workspaceId);
    return others.filter((one) => one.id !== id && one.status === 'enabled').length;
  }

  async delete(workspaceId: string, id: string, now: number): Promise<boolean> {
    const endpoint = this.#endpoint(workspaceId, id);
    if (!endpoint) return false;
    this.#state.endpoints.delete(id);
    this.#state.deletedEndpoints.set(id, { url: endpoint.url, deletedAt: now });
    this.#state.lanes.get(id)?.close('ENDPOINT_DELETED');
    return true;
  }

  async listFailing(query: {
    readonly before: number;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly Endpoint[]> {
    const { before, after, limit } = query;
    const failing = [...this.#state.endpoints.values()].filter(({ id, workspaceId, status, health }) => {
      if (isWorkPostponed(this.#state, workspaceId)) return false;
      const { failingSince, exhausted } = health;
      const since = failingSince !== null && failingSince <= before;
      return status === 'enabled' && exhausted && since && (after === null || id > after);
    });
    return structuredClone(failing.toSorted(byId).slice(0, limit));
  }

  async claimNotifications(claim: NotificationClaim): Promise<readonly OwedNotification[]> {
    return this.#state.notifications.claim(claim);
  }

  async completeNotification(id: string): Promise<void> {
    this.#state.notifications.complete(id);
  }

  #endpoint(workspaceId: string, id: string): Endpoint | undefined {
    const endpoint = this.#state.endpoints.get(id);
    return endpoint?.workspaceId === workspaceId ? endpoint : undefined;
  }

  #ofWorkspace(workspaceId: string): readonly Endpoint[] {
    return [...this.#state.endpoints.values()].filter((endpoint) => endpoint.workspaceId === workspaceId);
  }
}

function failureRecord({ failingSince, exhausted, warnedAt }: FailureRecord): FailureRecord {
  return { failingSince, exhausted, warnedAt };
}
