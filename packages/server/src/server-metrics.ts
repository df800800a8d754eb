import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';

export interface ServerMetrics {
  /** For `createTrunkline`. */
  readonly meterProvider: MeterProvider;
  /** Measures requests; to be in front of every route. */
  readonly measure: MiddlewareHandler;
  /** All of them, as Prometheus reads them. */
  text(): Promise<string>;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of the service and of its requests, in this process alone; nothing is sent anywhere. */
export function createServerMetrics(): ServerMetrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const meterProvider = new MeterProvider({ readers: [reader] });
  const duration = meterProvider.getMeter('trunkline').createHistogram(
    // Named by OpenTelemetry's conventions for HTTP.
    'http.server.request.duration',
    {
      description: 'Until the response begins, by route',
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
    },
  );

  return {
    meterProvider,
    async measure(c, next) {
      const began = performance.now();
      await next();
      duration.record((performance.now() - began) / 1000, {
        'http.request.method': METHODS.has(c.req.method) ? c.req.method : '_OTHER',
        // The route that responded, as it was declared: without the ids of this request, or a path that is nowhere.
        'http.route': routePath(c),
        'http.response.status_code': c.res.status,
      });
    },
    async text() {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(withUnits(resourceMetrics));
    },
  };
}

/** Prometheus has the unit in the name, which the exporter leaves out. */
function withUnits({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  const named = (metric: MetricData): MetricData => {
    const { descriptor } = metric;
    return descriptor.unit === 's'
      ? { ...metric, descriptor: { ...descriptor, name: `${descriptor.name}.seconds` } }
      : metric;
  };
  return {
    resource,
    scopeMetrics: scopeMetrics.map((scope) => ({ ...scope, metrics: scope.metrics.map(named) })),
  };
}
