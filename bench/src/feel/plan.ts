import type { ClientSettings } from '@trunkline/fake-whatsapp';
import type { StorageName } from '../storages.ts';

/** The settings of a program of this bench. */
export interface FeelPlan {
  readonly directory: string;
  readonly network: ClientSettings;
  /** The URL to which received messages are posted. */
  readonly webhookUrl: string;
}

export interface TrunklinePlan extends FeelPlan {
  readonly storage: StorageName;
}

/** The program's first message. The number of the program is linked by scanning the QR. */
export interface FeelFacts {
  /** Empty if the number is linked. */
  readonly qr: string;
  readonly sendUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of each request besides `to` and `text`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The program's response to any question. */
export interface FeelUse {
  readonly isConnected: boolean;
  /** The CPU time since the start. */
  readonly cpuMs: number;
  readonly rss: number;
}

export function useOf(isConnected: boolean): FeelUse {
  const { user, system } = process.cpuUsage();
  return { isConnected, cpuMs: (user + system) / 1_000, rss: process.memoryUsage.rss() };
}
