import { createHook } from 'node:async_hooks';
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';

/** A task of the event loop, with the promises that it resolves: everything else waits until it ends. */
export interface Task {
  /** CPU time of the thread, which other programs lengthen less than time on the clock. */
  readonly cpuMs: number;
  /** Time on the clock, which includes waits for the disk. */
  readonly ms: number;
  /** The functions that took most of it, with their shares. */
  readonly of: string;
}

const REPORTED = 5;
const SAMPLE_EVERY_US = 500;
const NAMED = 4;
/** Files that run the statements of others. */
const STATEMENTS = /\/database\/(database|connection)\.ts$/;

/** Watches the tasks of this thread, which takes a few percent of its time. Returns the longest since the last call. */
export async function watchTasks(): Promise<() => Promise<readonly Task[]>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
  await session.post('Profiler.start');
  let spans: Span[] = [];
  let last = now();
  /** Callbacks of `process.nextTick`, which belong to the task that planned them. */
  const ticks = new Set<number>();
  const next = (): void => {
    const at = now();
    const cpuMs = (at.cpuUs - last.cpuUs) / 1_000;
    if (cpuMs >= 2) spans.push({ from: last.clockUs, to: at.clockUs, cpuMs });
    last = at;
  };
  createHook({
    trackPromises: false,
    init: (id, type) => void (type === 'TickObject' && ticks.add(id)),
    before: (id) => void (ticks.delete(id) || next()),
  }).enable();
  return async () => {
    const longest = spans.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, REPORTED);
    const { profile } = await session.post('Profiler.stop');
    await session.post('Profiler.start');
    const tasks = longest.map((span) => taskOf(profile, span));
    spans = [];
    last = now();
    return tasks;
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly cpuMs: number;
}

function now(): { readonly clockUs: number; readonly cpuUs: number } {
  const { user, system } = process.threadCpuUsage();
  return { clockUs: Number(process.hrtime.bigint() / 1_000n), cpuUs: user + system };
}

/** Names what ran by its innermost functions of this repository. */
function taskOf({ nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile, span: Span): Task {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const nameOf = (id: number): string => {
    for (let own: number | undefined = id; own !== undefined; own = parents.get(own)) {
      const { url = '', functionName = '' } = byId.get(own)?.callFrame ?? {};
      if (url.includes('/src/') && !STATEMENTS.test(url))
        return `${functionName || 'anonymous'} (${url.slice(url.lastIndexOf('/') + 1)})`;
    }
    return byId.get(id)?.callFrame.functionName ?? '';
  };
  const took = new Map<string, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const us = timeDeltas[index] ?? 0;
    at += us;
    const name = nameOf(id);
    if (at >= span.from && at <= span.to && name !== '(idle)') took.set(name, (took.get(name) ?? 0) + us);
  }
  const total = [...took.values()].reduce((sum, us) => sum + us, 0);
  const most = [...took].toSorted(([, a], [, b]) => b - a).slice(0, NAMED);
  return {
    cpuMs: span.cpuMs,
    ms: total / 1_000,
    of: most.map(([name, us]) => `${name} ${Math.round((100 * us) / total)} %`).join(', '),
  };
}
