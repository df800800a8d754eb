import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '@trunkline/core';
import type { OtlpSettings } from '../settings/settings.ts';
import { LinkedSampler } from './linked-sampler.ts';
import { loggedExports } from './logged-exports.ts';

interface Otlp {
  readonly resource: Resource;
  readonly metricReader: IMetricReader | null;
  readonly tracerProvider: TracerProvider | null;
  close(): Promise<void>;
}

/** Longer exports are abandoned, because a process that ends waits for the last one. */
const EXPORT_WITHIN_MS = 5_000;

/** Sends metrics and traces to a collector. OpenTelemetry's libraries read the other OTEL_ variables themselves. */
export function openOtlp(settings: OtlpSettings, logger: Logger): Otlp {
  const { endpoint, headers, metrics, metricsEveryMs, traces, tracesRatio, serviceName } = settings;
  const resource = resourceFromAttributes({ 'service.name': serviceName }).merge(
    detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }),
  );
  const to = (path: string) => ({
    url: `${endpoint}${path}`,
    headers: { ...headers },
    timeoutMillis: EXPORT_WITHIN_MS,
  });
  const metricReader = metrics
    ? new PeriodicExportingMetricReader({
        exporter: loggedExports(new OTLPMetricExporter(to('/v1/metrics')), { what: 'metrics', logger }),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(EXPORT_WITHIN_MS, metricsEveryMs),
      })
    : null;
  const tracerProvider = traces
    ? new TracerProvider({
        resource,
        sampler: new ParentBasedSampler({
          root: new LinkedSampler(new TraceIdRatioBasedSampler(tracesRatio)),
        }),
        spanProcessors: [
          new BatchSpanProcessor({
            exporter: loggedExports(new OTLPTraceExporter(to('/v1/traces')), { what: 'traces', logger }),
            exportTimeoutMillis: EXPORT_WITHIN_MS,
          }),
        ],
      })
    : null;
  return {
    resource,
    metricReader,
    tracerProvider,
    async close() {
      await tracerProvider?.shutdown().catch(() => undefined); // loggedExports has logged it
    },
  };
}
