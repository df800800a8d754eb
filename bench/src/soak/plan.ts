import type { StorageName } from '../storages.ts';

/** The setup of a server for a soak. */
export interface SoakPlan {
  readonly directory: string;
  readonly storage: StorageName;
  readonly workspaces: number;
}

/** The message that the server sends when it is ready. */
export interface SoakFacts {
  readonly baseUrl: string;
  /** One key for each workspace. */
  readonly apiKeys: readonly string[];
}

/** The server's resources, in bytes where not stated otherwise. */
export interface SoakResources {
  /**
   * The heap after a garbage collection, without compiled code: V8 goes on compiling for hours, the longer the busier
   * the machine is.
   */
  readonly heapUsed: number;
  readonly rss: number;
  /** How many files and sockets are open. */
  readonly descriptors: number;
  /** How many handles and requests keep the event loop busy. */
  readonly handles: number;
  /** The CPU time since the start. */
  readonly cpuSeconds: number;
}
