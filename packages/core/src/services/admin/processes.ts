import type { ReportedProcess } from '../../ports/storage/process-registry.ts';
import type { ServiceContext } from '../context.ts';

const LIST_MAX = 500;
/** Twice the interval of reports, plus a margin. */
const SILENT_AFTER_MS = 75_000;

/** A process that runs the service, with its last report. */
export interface ServiceProcess extends ReportedProcess {
  /** Whether the last report is so old that the process has probably died or hangs. */
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
