import type { ServiceProcess, StorageDescription, Workload } from '@trunkline/core';
import { dataResponse } from '../json-response.ts';
import type { ProcessResource, SystemResource } from '../schemas/admin.ts';
import type { DashboardTrunkline } from '../session.ts';
import { VERSION } from '../version.ts';
import { timestamp, timestampOrNull } from '@trunkline/core/spi/http';
import type { OwnRoute } from './own-route.ts';

export function systemRoutes({
  admin,
  roles,
}: Pick<DashboardTrunkline, 'admin' | 'roles'>): readonly OwnRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/system',
      access: 'see-all',
      async handle() {
        const { api, gateway, webhooks, maintenance } = roles;
        const [processes, storage, workload] = await Promise.all([
          admin.processes(),
          admin.storage(),
          admin.workload(),
        ]);
        const system: SystemResource = {
          version: VERSION,
          roles: { api, gateway, webhooks, maintenance },
          processes: processes.map(processResource),
          storage: storageResource(storage),
          workload: workloadResource(workload),
        };
        return dataResponse(system);
      },
    },
  ];
}

function processResource(one: ServiceProcess): ProcessResource {
  const { vitals } = one;
  return {
    name: one.name,
    roles: one.roles,
    started_at: timestamp(one.startedAt),
    reported_at: timestamp(one.reportedAt),
    is_silent: one.isSilent,
    held: one.held,
    vitals: vitals && {
      host: vitals.host,
      pid: vitals.pid,
      runtime: vitals.runtime,
      memory_bytes: vitals.memoryBytes,
      busy_percent: vitals.busyPercent,
    },
  };
}

function storageResource(storage: StorageDescription): SystemResource['storage'] {
  const { database, schemaVersion, sizeBytes } = storage;
  return { database, schema_version: schemaVersion, size_bytes: sizeBytes };
}

function workloadResource(workload: Workload): SystemResource['workload'] {
  const oldest = workload.oldestQueuedMessage;
  return {
    instances: workload.instances,
    unheld_instances: workload.unheldInstances,
    queued_messages: workload.queuedMessages,
    oldest_queued_message: oldest && {
      workspace_id: oldest.workspaceId,
      instance_id: oldest.instanceId,
      message_id: oldest.messageId,
      since: timestamp(oldest.since),
    },
    open_deliveries: workload.openDeliveries,
    oldest_open_delivery_at: timestampOrNull(workload.oldestOpenDeliveryAt),
    deliveries_due_at: timestampOrNull(workload.deliveriesDueAt),
    failing_webhooks: workload.failingEndpoints,
    queued_events: workload.queuedEvents,
    exhausted_events: workload.exhaustedEvents,
    pending_downloads: workload.pendingDownloads,
    oldest_event_at: timestampOrNull(workload.oldestEventAt),
  };
}
