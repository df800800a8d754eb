import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { ProcessMonitor } from '../ports/process-monitor.ts';

/** Reads counters that Node and the system already keep. */
export function nodeProcessMonitor(): ProcessMonitor {
  let last = performance.eventLoopUtilization();
  return {
    read() {
      const total = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(total, last);
      last = total;
      return {
        host: hostname(),
        pid: process.pid,
        runtime: `Node.js ${process.versions.node}`,
        memoryBytes: process.memoryUsage.rss(),
        busyPercent: Math.round(utilization * 100),
      };
    },
  };
}
