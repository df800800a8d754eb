/**
 * Why the service must not start here; null if it may. Next.js replaces these variables with their values when it
 * compiles.
 */
export function obstacleToStart(): string | null {
  if (process.env.NEXT_RUNTIME === 'edge') return IN_EDGE;
  return process.env.NEXT_PHASE === 'phase-production-build' ? IN_BUILD : null;
}

const IN_EDGE =
  "Trunkline does not run in the Edge runtime of Next.js, which has no sockets and no files. Remove `export const runtime = 'edge'` from the route or page that uses it.";
const IN_BUILD =
  'Trunkline does not start during `next build`, which prerenders a page or a route that uses it. Render that for each request: call `await connection()` of next/server in it first.';
