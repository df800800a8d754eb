import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, TracerProvider } from '@opentelemetry/api';
import { readTraceparent, sampledTraceparent } from '@trunkline/core/spi/http';

/** The span of one request. */
export interface RequestSpan {
  /** For what the request causes; undefined if nobody records its trace. */
  readonly traceparent: string | undefined;
  run<Value>(work: () => Value): Value;
  end(status: number): void;
}

/** A method and a path of the routes, with the header of the request that says where its caller's span stands. */
interface TracedRequest {
  readonly method: string;
  readonly route: string;
  readonly header: string | undefined;
}

/**
 * Makes the spans of requests, by OpenTelemetry's conventions for HTTP. Where something else has made one, as an
 * instrumentation of the server does, that one counts. A `traceparent` that is not valid is ignored.
 */
export function requestSpans(provider: TracerProvider | undefined): (request: TracedRequest) => RequestSpan {
  // Not before a request: an SDK may be installed after this app was made.
  const tracer = () => (provider ?? trace.getTracerProvider()).getTracer('@trunkline/http');
  return ({ method, route, header }) => {
    const active = trace.getActiveSpan();
    if (active) {
      const traceparent = sampledTraceparent(active.spanContext()) ?? undefined;
      return { traceparent, run: (work) => work(), end: () => undefined };
    }
    const within = callerOf(header);
    const span = tracer().startSpan(
      `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
      within,
    );
    return {
      traceparent: sampledTraceparent(span.spanContext()) ?? undefined,
      run: (work) => context.with(trace.setSpan(within, span), work),
      end(status) {
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) {
          span.setAttribute('error.type', String(status));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  };
}

function callerOf(header: string | undefined): Context {
  const position = readTraceparent(header);
  return position ? trace.setSpanContext(ROOT_CONTEXT, { ...position, isRemote: true }) : ROOT_CONTEXT;
}
