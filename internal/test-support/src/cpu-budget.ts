import type { Reporter, TestModule, Vitest } from 'vitest/node';

export interface CpuBudget {
  /** The limit for a file of `pnpm test`, in seconds of CPU. */
  readonly seconds: number;
  /** The share of the whole run that a file may take even beyond `seconds`: on a slow machine, every file takes longer. */
  readonly share: number;
  /** The paths of files that may cost more, by reason. */
  readonly exceptions: Readonly<Record<string, readonly string[]>>;
}

/**
 * Prints the ten files that cost the most CPU time. Fails the run if a file exceeds `budget`, unless `budget` is null.
 */
export function cpuBudget(budget: CpuBudget | null): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(context) {
      vitest = context;
    },
    onTestRunEnd(modules) {
      const files = modules.map(costOf).toSorted((one, other) => other.seconds - one.seconds);
      if (files.length > 1) vitest?.logger.log(tableOf(files));
      if (budget === null) return;
      const limit = Math.max(budget.seconds, budget.share * sumOf(files));
      for (const { path, seconds } of files) {
        if (seconds <= limit || isException(budget, path)) continue;
        vitest?.logger.error(
          `${path} took ${seconds.toFixed(1)} s of CPU; a file of \`pnpm test\` may take ${limit.toFixed(1)} s. ` +
            'Start less, move the long form to `pnpm test:long`, or name the file with a reason in vitest.config.ts.',
        );
        process.exitCode = 1;
      }
    },
  };
}

interface Cost {
  readonly path: string;
  readonly seconds: number;
}

function costOf(module: TestModule): Cost {
  return { path: module.relativeModuleId, seconds: module.meta().cpuSeconds ?? 0 };
}

function tableOf(files: readonly Cost[]): string {
  const lines = files.slice(0, 10).map(({ seconds, path }) => `${seconds.toFixed(1).padStart(8)}  ${path}`);
  return `\nCPU seconds: ${sumOf(files).toFixed(0)} in ${files.length} files. The ten dearest:\n${lines.join('\n')}`;
}

function sumOf(files: readonly Cost[]): number {
  return files.reduce((total, { seconds }) => total + seconds, 0);
}

function isException({ exceptions }: CpuBudget, path: string): boolean {
  return Object.values(exceptions).flat().includes(path);
}
