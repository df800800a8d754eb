import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import type { DataFiles } from './data-files.ts';
import { openSandboxJournal } from './sandbox-journal.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';

export interface SandboxNetwork {
  /** Null where this process does not run it. */
  readonly sandbox: Sandbox | null;
  /** Whether another process runs it. */
  readonly isElsewhere: boolean;
  close(): void;
}

/** The sandbox network is in one process at a time; others on the same data do all the rest. */
export function openSandboxNetwork(settings: Settings, files: DataFiles): SandboxNetwork {
  if (!settings.roles.gateway) return { sandbox: null, isElsewhere: false, close() {} };
  const journal = openSandboxJournal(files.sandboxNetwork);
  if (journal) {
    return { sandbox: createSandbox({ journal }), isElsewhere: false, close: () => journal.close() };
  }
  const { gateway: _, ...others } = settings.roles;
  if (!Object.values(others).includes(true)) {
    throw new StartError(
      `ROLES is only gateway, and another process has the sandbox network: ${files.sandboxNetwork}`,
    );
  }
  return { sandbox: null, isElsewhere: true, close() {} };
}
