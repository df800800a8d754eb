export { runServer } from './run-server.ts';
export { serve } from './serve.ts';
export type { RunningServer, ServeOptions } from './serve.ts';
