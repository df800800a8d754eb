import { NO_FAILURES } from '../../domain/endpoint/endpoint.ts';
import { isPostponed } from '../../domain/workspace/plan-rules.ts';
import type { State } from './state.ts';

/** Whether the work of this workspace waits; false for an unknown workspace. */
export function isWorkPostponed(state: State, workspaceId: string): boolean {
  const workspace = state.workspaces.get(workspaceId);
  return workspace !== undefined && isPostponed(workspace);
}

export function isLanePaused(state: State, endpointId: string): boolean {
  const endpoint = state.endpoints.get(endpointId);
  return endpoint !== undefined && isWorkPostponed(state, endpoint.workspaceId);
}

/** Resumes a workspace: resets failures and signals waiting work. */
export function resumeWork(state: State, workspaceId: string): void {
  const endpoints = [...state.endpoints.values()].filter((one) => one.workspaceId === workspaceId);
  for (const endpoint of endpoints) {
    if (endpoint.health.failingSince === null) continue;
    const health = { ...endpoint.health, ...NO_FAILURES };
    state.endpoints.set(endpoint.id, { ...endpoint, health });
  }
  const instances = [...state.instances.values()].filter(
    ({ instance, queue }) => instance.workspaceId === workspaceId && queue.size > 0,
  );
  for (const { instance } of instances) state.signal({ topic: 'queue', instanceId: instance.id });
  if (endpoints.length > 0) state.signal({ topic: 'deliveries' });
}
