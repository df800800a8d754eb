import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Log, LogLevel, Miniflare } from 'miniflare';
import type { Running } from './spawn-program.ts';

/** Starts a Worker's module in workerd, bundled as for Cloudflare: `#hmac` is the module on Web Crypto. */
export async function startWorker(program: string, bindings: Record<string, string> = {}): Promise<Running> {
  const bundle = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['source', 'workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
  });
  let output = '';
  const worker = new Miniflare({
    modules: true,
    script: bundle.outputFiles[0]?.text ?? '',
    compatibilityDate: '2025-09-01',
    bindings,
    log: new Log(LogLevel.ERROR),
    handleRuntimeStdio: (...streams: readonly Readable[]) => {
      for (const stream of streams) stream.on('data', (chunk: unknown) => (output += String(chunk)));
    },
  });
  const url = new URL('/webhooks', await worker.ready);
  return { url: url.href, output: () => output, stop: () => worker.dispose() };
}
