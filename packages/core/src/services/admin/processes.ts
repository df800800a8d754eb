import type { ReportedProcess } from '../../ports/storage/process-registry.ts';
import type { ServiceContext } from '../context.ts';

const LIST_MAX = 500;
/** Two reports were missed, and a little more. */
const SILENT_AFTER_MS = 75_000;

export interface ServiceProcess extends ReportedProcess {
  /** Whether it has not said for so long how it is that it has probably died, or hangs. */
  readonly isSilent: boolean;
}

export async function listProcesses({
  storage,
  clock,
}: Pick<ServiceContext, 'storage' | 'clock'>): Promise<readonly ServiceProcess[]> {
  const now = clock.now();
  const processes = await storage.processes.list({ now, limit: LIST_MAX });
  return processes.map((one) => ({ ...one, isSilent: now - one.reportedAt > SILENT_AFTER_MS }));
}
