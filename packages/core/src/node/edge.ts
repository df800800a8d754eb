export { edgeRuntime } from './edge-runtime.ts';
export type { EdgeRuntime, EdgeRuntimeOptions } from './edge-runtime.ts';
