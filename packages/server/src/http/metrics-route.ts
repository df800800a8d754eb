import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { errorResponse, refused } from '../errors/error-response.ts';
import type { ServerMetrics } from '../telemetry/server-metrics.ts';

interface MetricsParts {
  readonly metrics: Pick<ServerMetrics, 'text'>;
  /** The token that a client must send; undefined lets every client read. */
  readonly metricsToken: string | undefined;
}

export function createMetricsApp(parts: MetricsParts): Hono {
  const app = new Hono();
  addMetrics(app, parts);
  app.notFound((c) => errorResponse(c, refused('NOT_FOUND', 'The metrics are at /metrics.')));
  return app;
}

export function addMetrics(app: Hono, { metrics, metricsToken }: MetricsParts): void {
  app.get('/metrics', async (c) => {
    if (metricsToken !== undefined && !isSame(c.req.header('Authorization'), `Bearer ${metricsToken}`)) {
      return errorResponse(
        c,
        refused(
          'UNAUTHENTICATED',
          'The metrics are for those who have METRICS_TOKEN: send it in the header "Authorization: Bearer <METRICS_TOKEN>".',
        ),
      );
    }
    return c.text(await metrics.text(), 200, { 'Cache-Control': 'no-store' });
  });
}

/** Compares in constant time. */
function isSame(given: string | undefined, right: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(right));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
