import type { Logger } from '@trunkline/core';
import { listen } from './http-listener.ts';
import type { HttpListener } from './http-listener.ts';
import type { Settings } from '../settings/settings.ts';
import { createMetricsApp } from './metrics-route.ts';
import type { ServerMetrics } from '../telemetry/server-metrics.ts';

const NAMES = { host: 'METRICS_ADDRESS', port: 'METRICS_ADDRESS' };

/** Serves the metrics on a separate address; null if no address is set. */
export async function openMetricsListener(
  { metricsAddress, metricsToken }: Pick<Settings, 'metricsAddress' | 'metricsToken'>,
  { metrics, logger }: { readonly metrics: ServerMetrics | null; readonly logger: Logger },
): Promise<HttpListener | null> {
  if (metricsAddress === undefined || !metrics) return null;
  return listen(metricsAddress, createMetricsApp({ metrics, metricsToken }).fetch, {
    settings: NAMES,
    logger,
  });
}
