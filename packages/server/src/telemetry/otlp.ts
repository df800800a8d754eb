import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import type { Logger } from '@trunkline/core';
import type { OtlpSettings } from '../settings.ts';
import { loggedExports } from './logged-exports.ts';

interface Otlp {
  readonly resource: Resource;
  readonly metricReader: IMetricReader | null;
}

/** An export that takes longer is given up: the end of the process waits for the last one. */
const EXPORT_WITHIN_MS = 5_000;

/** Sends metrics to a collector. What else OpenTelemetry's variables say, its own libraries read. */
export function openOtlp(settings: OtlpSettings, logger: Logger): Otlp {
  const { endpoint, headers, metrics, metricsEveryMs, serviceName } = settings;
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
  return { resource, metricReader };
}
