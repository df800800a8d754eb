import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, TracerProvider } from '@opentelemetry/api';
import { unfailing } from '../runtime/unfailing.ts';
import { readTraceparent, sampledTraceparent } from '../domain/traceparent.ts';

/**
 * Spans of the service, without texts, numbers or addresses of people. Work within a request is a child of
 * the request's span. Later work, perhaps after hours and in another process, is a separate trace that links
 * to that span. The attributes follow OpenTelemetry's conventions for messaging, which are in development and
 * may change.
 */
export interface Tracing {
  /** Starts a child of `parent` or, if omitted, of the active span of this process. */
  within(parent: string | undefined, start: SpanStart): OpenSpan;
  /** Starts a separate trace, with a link to the span that caused it. */
  linkedTo(cause: string | null, start: SpanStart): OpenSpan;
}

interface SpanStart {
  /** Such as `create message`. */
  readonly name: string;
  readonly kind: keyof typeof SpanKind;
  /** Called only if the span is recorded. */
  readonly attributes: () => Attributes;
}

interface OpenSpan {
  /** The position that later spans link to; null if the trace is not recorded. */
  readonly traceparent: string | null;
  /** Runs work with this span active, for SDKs that track the active span. */
  run<Value>(work: () => Value): Value;
  /** `failure` is a code from a closed list; null after a success. */
  end(failure: string | null, attributes?: Attributes): void;
}

/** Creates OpenTelemetry spans, which record nothing if no SDK is installed. */
export function createTracing(provider: TracerProvider): Tracing {
  const tracer = provider.getTracer('@trunkline/core');

  /** If the tracer throws, the work continues without a span. */
  const open = (start: SpanStart, within: Context, links: Link[] | undefined): OpenSpan => {
    try {
      return startSpan(start, within, links);
    } catch {
      return { traceparent: null, run: (work) => work(), end: () => undefined };
    }
  };

  const startSpan = (
    { name, kind, attributes }: SpanStart,
    within: Context,
    links: Link[] | undefined,
  ): OpenSpan => {
    const span = tracer.startSpan(name, { kind: SpanKind[kind], ...(links && { links }) }, within);
    const traceparent = sampledTraceparent(span.spanContext());
    if (!span.isRecording()) return { traceparent, run: (work) => work(), end: () => undefined };
    span.setAttributes({ 'messaging.system': 'trunkline', ...attributes() });
    const opened: OpenSpan = {
      traceparent,
      run: (work) => context.with(trace.setSpan(within, span), work),
      end(failure, more) {
        if (more) span.setAttributes(more);
        if (failure !== null) {
          span.setAttribute('error.type', failure);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
    const { end } = unfailing({ end: opened.end });
    return { ...opened, end };
  };

  return {
    within(parent, start) {
      const position = readTraceparent(parent);
      const within = position
        ? trace.setSpanContext(ROOT_CONTEXT, { ...position, isRemote: true })
        : context.active();
      return open(start, within, undefined);
    },
    linkedTo(cause, start) {
      const position = readTraceparent(cause);
      const link = position && [{ context: { ...position, isRemote: true } }];
      return open(start, ROOT_CONTEXT, link ?? undefined);
    },
  };
}
