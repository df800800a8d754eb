import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Context, Tracer, TracerProvider } from '@opentelemetry/api';
import { readTraceparent, sampledTraceparent } from '@trunkline/core/spi/http';

interface RequestSpan {
  /** The parent of the spans that the request causes; undefined if its trace is not recorded. */
  readonly traceparent: string | undefined;
  run<Value>(work: () => Value): Value;
  end(status: number): void;
}

/** Creates a request's span. `traceparent` is the request's header, which names the caller's span. */
type OpenSpan = (traceparent: string | undefined) => RequestSpan;

/** Used if no SDK is installed and the caller sent no valid `traceparent`, or if the tracer throws. */
const UNTRACED: RequestSpan = { traceparent: undefined, run: (work) => work(), end: () => undefined };

/**
 * The spans of a route's requests, by OpenTelemetry's conventions for HTTP. If an instrumentation of the server has
 * already created a span, that span is used. An invalid `traceparent` is ignored.
 */
export function requestSpans(
  provider: TracerProvider | undefined,
  { method, path }: { readonly method: string; readonly path: string },
): OpenSpan {
  const name = `${method} ${path}`;
  const attributes = { 'http.request.method': method, 'http.route': path };
  const tracerNow = currentTracer(provider);
  const open: OpenSpan = (header) => {
    const active = trace.getActiveSpan();
    if (active) return { ...UNTRACED, traceparent: sampledTraceparent(active.spanContext()) ?? undefined };
    const within = callerOf(header);
    const span = tracerNow().startSpan(name, { kind: SpanKind.SERVER, attributes }, within);
    const position = span.spanContext();
    if (!isSpanContextValid(position)) return UNTRACED;
    return {
      traceparent: sampledTraceparent(position) ?? undefined,
      run: (work) => context.with(trace.setSpan(within, span), work),
      end(status) {
        try {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) {
            span.setAttribute('error.type', String(status));
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        } catch {
          // The response is complete, and must not be lost because its span is.
        }
      },
    };
  };
  return (header) => {
    try {
      return open(header);
    } catch {
      return UNTRACED;
    }
  };
}

/**
 * Returns the tracer of the given provider, or of the global provider, which may be installed after the app was
 * created.
 */
function currentTracer(given: TracerProvider | undefined): () => Tracer {
  let provider: TracerProvider | null = null;
  let tracer: Tracer | null = null;
  return () => {
    const current = given ?? trace.getTracerProvider();
    if (tracer === null || current !== provider) {
      provider = current;
      tracer = current.getTracer('@trunkline/http');
    }
    return tracer;
  };
}

function callerOf(header: string | undefined): Context {
  const position = readTraceparent(header);
  return position ? trace.setSpanContext(ROOT_CONTEXT, { ...position, isRemote: true }) : ROOT_CONTEXT;
}
