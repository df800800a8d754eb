import { createNoopMeter, trace } from '@opentelemetry/api';
import type { Counter, Meter, Span, Tracer } from '@opentelemetry/api';
import type { Surroundings } from './surroundings.ts';

interface ThrowingTelemetry {
  readonly telemetry: NonNullable<Surroundings['telemetry']>;
  /** The calls that have thrown, each name once. */
  readonly thrown: ReadonlySet<string>;
}

/** Telemetry of which every instrument throws when it counts, and every span when it begins or when it ends. */
export function throwingTelemetry(at: 'startSpan' | 'end'): ThrowingTelemetry {
  const thrown = new Set<string>();
  const fail = (call: string): never => {
    thrown.add(call);
    throw new Error(`injected fault in ${call}`);
  };
  const noop = createNoopMeter();
  // A service is created with all counters at 0, and reports a provider that fails then.
  const counter: Counter = { add: (value) => void (value === 0 || fail('add')) };
  const meter: Meter = Object.assign(Object.create(noop), {
    createCounter: () => counter,
    createHistogram: () => ({ record: () => fail('record') }),
  });
  const span: Span = Object.assign(
    Object.create(trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 })),
    { isRecording: () => true, end: () => fail('end') },
  );
  const tracer: Pick<Tracer, 'startSpan'> = {
    startSpan: () => (at === 'startSpan' ? fail('startSpan') : span),
  };
  return {
    telemetry: {
      meterProvider: { getMeter: () => meter },
      tracerProvider: { getTracer: () => tracer as Tracer }, // the service starts spans only by `startSpan`
    },
    thrown,
  };
}
