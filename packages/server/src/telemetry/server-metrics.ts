import { statfs } from 'node:fs/promises';
import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { IMetricReader, MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';

export interface ServerMetrics {
  readonly meterProvider: MeterProvider;
  /** Measures requests; must precede every route. */
  readonly measure: MiddlewareHandler;
  /** Returns all metrics in Prometheus' format. */
  text(): Promise<string>;
  /** Sends the metrics that have not been sent yet. Never rejects. */
  close(): Promise<void>;
}

interface MetricsOptions {
  /** The directory whose disk is watched. */
  readonly dataDirectory: string;
  /** Whether `text()` is used. */
  readonly isServed: boolean;
  readonly resource?: Resource;
  /** The readers other than Prometheus. */
  readonly readers: readonly IMetricReader[];
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createServerMetrics({
  dataDirectory,
  isServed,
  resource,
  readers,
}: MetricsOptions): ServerMetrics {
  const prometheus = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const meterProvider = new MeterProvider({
    ...(resource && { resource }),
    readers: isServed ? [...readers, prometheus] : [...readers],
  });
  const meter = meterProvider.getMeter('trunkline');
  observeMachine(meter, dataDirectory);
  const runtime = new RuntimeNodeInstrumentation({ enabled: false });
  runtime.setMeterProvider(meterProvider);
  runtime.enable();
  const duration = meter.createHistogram(
    // The name in OpenTelemetry's conventions for HTTP.
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
        // The declared path of the route that responded, not the requested path, which may have ids or be unknown.
        'http.route': routePath(c),
        'http.response.status_code': c.res.status,
      });
    },
    async text() {
      const { resourceMetrics } = await prometheus.collect();
      return serializer.serialize(withUnits(resourceMetrics));
    },
    async close() {
      runtime.disable();
      await meterProvider.shutdown().catch(() => undefined); // loggedExports has logged it
    },
  };
}

function observeMachine(meter: Meter, dataDirectory: string): void {
  const memory = meter.createObservableGauge('process.memory.usage', {
    description: 'Memory that the process holds (resident)',
    unit: 'By',
  });
  memory.addCallback((result) => result.observe(process.memoryUsage.rss()));
  const disk = meter.createObservableGauge('trunkline.disk.available', {
    description: 'Room on the disk of DATA_DIR for this user',
    unit: 'By',
  });
  disk.addCallback(async (result) => {
    const { bavail, bsize } = await statfs(dataDirectory);
    result.observe(bavail * bsize);
  });
}

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** Adds the unit to each metric's name, as Prometheus expects, because the exporter omits it. */
function withUnits({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  const named = (metric: MetricData): MetricData => {
    const { descriptor } = metric;
    const unit = UNITS[descriptor.unit];
    return unit === undefined
      ? metric
      : { ...metric, descriptor: { ...descriptor, name: `${descriptor.name}.${unit}` } };
  };
  return {
    resource,
    scopeMetrics: scopeMetrics.map((scope) => ({ ...scope, metrics: scope.metrics.map(named) })),
  };
}
