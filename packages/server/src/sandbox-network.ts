import type { Gateway } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { SandboxPhone } from '@trunkline/core/sandbox';
import type { DataFiles } from './data-files.ts';
import { openSandboxJournal } from './sandbox-journal.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';

export interface SandboxNetwork {
  readonly gateway: Gateway;
  /** The phone behind an instance; null if this process does not run the network. */
  readonly phone: ((instanceId: string) => ControlledPhone) | null;
  /** Whether another process runs the network, so that this process cannot. */
  readonly isElsewhere: boolean;
  close(): void;
}

export type ControlledPhone = Omit<SandboxPhone, 'accepted'>;

/** Only one process at a time runs the sandbox network; other processes on the same data can have every other role. */
export function openSandboxNetwork(settings: Settings, files: DataFiles): SandboxNetwork {
  const { gateway: unused } = createSandbox();
  if (!settings.roles.gateway) return { gateway: unused, phone: null, isElsewhere: false, close() {} };
  const journal = openSandboxJournal(files.sandboxNetwork);
  if (journal) {
    const { gateway, phone } = createSandbox({ journal });
    return { gateway, phone, isElsewhere: false, close: () => journal.close() };
  }
  const { gateway: _, ...others } = settings.roles;
  if (!Object.values(others).includes(true)) {
    throw new StartError(
      `ROLES is only gateway, and another process has the sandbox network: ${files.sandboxNetwork}. Stop that process, or give this one another role.`,
    );
  }
  return { gateway: unused, phone: null, isElsewhere: true, close() {} };
}
