import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { startHarness } from './harness.ts';
import type { Harness } from './harness.ts';

export class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}

  /** The value of each metric, by name and labels; for a histogram, the count and the sum. */
  async values(): Promise<Readonly<Record<string, unknown>>> {
    const { resourceMetrics } = await this.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return Object.fromEntries(
      metrics.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => [
          [descriptor.name, ...Object.values(attributes)].join(' '),
          typeof value === 'object' && 'count' in value ? [value.count, value.sum] : value,
        ]),
      ),
    );
  }
}

export async function measuredHarness(
  options: Parameters<typeof startHarness>[0] = {},
): Promise<{ readonly harness: Harness; readonly reader: Reader }> {
  const reader = new Reader();
  const meterProvider = new MeterProvider({ readers: [reader] });
  return { harness: await startHarness({ ...options, meterProvider }), reader };
}
