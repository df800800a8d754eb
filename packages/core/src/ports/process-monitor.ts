/** Reads the vitals of the process that the service runs in. */
export interface ProcessMonitor {
  /** Must be cheap, because it is called every half minute. */
  read(): ProcessVitals;
}

/** The machine, the runtime and the load of a process. */
export interface ProcessVitals {
  /** The name of the machine or the container. */
  readonly host: string;
  /** The id of the process on that machine. */
  readonly pid: number;
  /** The runtime with its version, such as `Node.js 24.21.0`. */
  readonly runtime: string;
  /** The resident memory of the process. */
  readonly memoryBytes: number;
  /**
   * The part of the time since the last reading in which JavaScript ran, as a whole percentage. Near 100, all work is
   * delayed.
   */
  readonly busyPercent: number;
}
