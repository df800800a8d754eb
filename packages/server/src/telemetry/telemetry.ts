import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Logger } from '@trunkline/core';
import type { Settings } from '../settings/settings.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface Telemetry {
  /** The providers for `createTrunkline`, each absent if it is off. */
  readonly providers: {
    readonly meterProvider?: MeterProvider;
    readonly tracerProvider?: TracerProvider;
  };
  /** Null if nothing is measured. */
  readonly metrics: ServerMetrics | null;
  /** Sends the metrics and traces that have not been sent yet. Never rejects, and waits for a few seconds at most. */
  close(): Promise<void>;
}

const OFF: Telemetry = { providers: {}, metrics: null, close: async () => {} };

/** Loads libraries only for enabled features, so that other servers start sooner and take less memory. */
export async function openTelemetry(
  settings: Pick<Settings, 'dataDirectory' | 'metricsAddress' | 'metricsToken' | 'otlp'>,
  logger: Logger,
): Promise<Telemetry> {
  const { metricsAddress, metricsToken, otlp, dataDirectory } = settings;
  const sent = otlp && (await import('./otlp.ts')).openOtlp(otlp, logger);
  const isServed = metricsAddress !== undefined || metricsToken !== undefined;
  if (!isServed && !sent) return OFF;
  const reader = sent?.metricReader ?? null;
  const metrics =
    isServed || reader
      ? (await import('./server-metrics.ts')).createServerMetrics({
          dataDirectory,
          isServed,
          ...(sent && { resource: sent.resource }),
          readers: reader ? [reader] : [],
        })
      : null;
  return {
    providers: {
      ...(metrics && { meterProvider: metrics.meterProvider }),
      ...(sent?.tracerProvider && { tracerProvider: sent.tracerProvider }),
    },
    metrics,
    async close() {
      await Promise.all([metrics?.close(), sent?.close()]);
    },
  };
}
