import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import { errorResponse, refused } from './error-response.ts';
import type { ServerMetrics } from './server-metrics.ts';

interface MetricsParts {
  readonly metrics: Pick<ServerMetrics, 'measure' | 'text'>;
  /** What a reader must show; undefined lets everybody read. */
  readonly metricsToken: string | undefined;
}

/** Measures every request, and serves `/metrics`. */
export function addMetrics(app: Hono, { metrics, metricsToken }: MetricsParts): void {
  app.use(metrics.measure);
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

/** Takes as long for one that is nearly right. */
function isSame(given: string | undefined, right: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(right));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
