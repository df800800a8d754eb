/** The ids of a span, as W3C Trace Context carries them (https://www.w3.org/TR/trace-context/#traceparent-header). */
export interface TracePosition {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** The maximum length of a header that is read, with room for the fields of a future version. */
const LONGEST = 256;
const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s;
const SAMPLED = 1;

/** Null for an invalid header, which the specification says to ignore. */
export function readTraceparent(text: unknown): TracePosition | null {
  if (typeof text !== 'string' || text.length > LONGEST) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED };
}

/** Null if the trace is not recorded, because then there is nothing to link to. */
export function sampledTraceparent({ traceId, spanId, traceFlags }: TracePosition): string | null {
  return (traceFlags & SAMPLED) === 0 ? null : `00-${traceId}-${spanId}-01`;
}
