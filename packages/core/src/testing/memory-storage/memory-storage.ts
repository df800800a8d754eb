import type { Signal, Storage, StorageContext, StorageDescription } from '../../ports/storage/storage.ts';
import type { WaitsStep } from '../../ports/storage/waits-step.ts';
import { MemoryActivityStore } from './activity-store.ts';
import { MemoryApiKeyStore } from './api-key-store.ts';
import { MemoryChatStore } from './chat-store.ts';
import { MemoryContactStore } from './contact-store.ts';
import { MemoryDeliveryStore } from './delivery-store.ts';
import { MemoryDownloadStore } from './download-store.ts';
import { MemoryEndpointStore } from './endpoint-store.ts';
import { MemoryEventStore } from './event-store.ts';
import { MemoryErasureStore } from './erasure-store.ts';
import { MemoryGroupStore } from './group-store.ts';
import { MemoryHistoryStore } from './history-store.ts';
import { MemoryInstanceStore } from './instance-store.ts';
import { MemoryLeaseStore } from './lease-store.ts';
import { MemoryUploadRegistry } from './upload-registry.ts';
import { MemoryMessageStore } from './message-store.ts';
import { MemoryProcessRegistry } from './process-registry.ts';
import { MemoryRetentionStore } from './retention-store.ts';
import { MemorySessionStore } from './session-store.ts';
import { MemorySpentTokenStore } from './spent-token-store.ts';
import { State } from './state.ts';
import { MemorySubscriptionStore } from './subscription-store.ts';
import { MemoryWorkloadStore } from './workload-store.ts';
import { MemoryWorkspaceStore } from './workspace-store.ts';

/**
 * A storage that keeps everything in this object, for tests and as the model that the contract suite compares
 * other storages with. No method that writes awaits, so each write is one transaction. Arguments and results are
 * copied.
 */
export function memoryStorage(): Storage {
  const state = new State();
  const deliveries = new MemoryDeliveryStore(state);
  const subscriptions = new MemorySubscriptionStore(state);
  return {
    workspaces: new MemoryWorkspaceStore(state),
    apiKeys: new MemoryApiKeyStore(state),
    instances: new MemoryInstanceStore(state),
    history: new MemoryHistoryStore(state),
    leases: new MemoryLeaseStore(state),
    sessions: new MemorySessionStore(state),
    groups: new MemoryGroupStore(state),
    contacts: new MemoryContactStore(state),
    messages: new MemoryMessageStore(state),
    chats: new MemoryChatStore(state),
    uploads: new MemoryUploadRegistry(state),
    downloads: new MemoryDownloadStore(state),
    activities: new MemoryActivityStore(state),
    endpoints: new MemoryEndpointStore(state),
    deliveries,
    events: new MemoryEventStore(state),
    subscriptions,
    retention: new MemoryRetentionStore(state, subscriptions),
    erasure: new MemoryErasureStore(state),
    spentTokens: new MemorySpentTokenStore(state),
    processes: new MemoryProcessRegistry(state),
    workload: new MemoryWorkloadStore(state),

    async open(context: StorageContext): Promise<void> {
      state.context = context;
    },
    async setting(name: string, valueIfNew: string): Promise<string> {
      const value = state.settings.get(name) ?? valueIfNew;
      state.settings.set(name, value);
      return value;
    },
    async replaceSetting(name: string, value: string): Promise<void> {
      state.settings.set(name, value);
    },
    async describe(): Promise<StorageDescription> {
      return { database: 'memory', schemaVersion: 1, sizeBytes: null };
    },
    async shortenWaits(step: WaitsStep): Promise<string | null> {
      deliveries.shortenWaits(step.now);
      subscriptions.shortenWaits(step);
      return null;
    },
    subscribe(listener: (signal: Signal) => void): () => void {
      return state.subscribe(listener);
    },
    async close(): Promise<void> {
      state.context = null;
    },
  };
}
