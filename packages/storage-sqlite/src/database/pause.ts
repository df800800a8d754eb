const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. Only for opening a database, before the service runs. */
export function pause(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
