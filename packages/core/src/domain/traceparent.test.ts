import { expect, it } from 'vitest';
import { readTraceparent, sampledTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('a traceparent has the position of a span', () => {
  expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1 });
  expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ traceFlags: 0 });
  // Flags that this version does not define are dropped.
  expect(readTraceparent(`00-${TRACE}-${SPAN}-ff`)).toMatchObject({ traceFlags: 1 });
  // A later version may have more fields.
  expect(readTraceparent(`01-${TRACE}-${SPAN}-01-more`)).toMatchObject({ traceId: TRACE });
});

it.for([
  ['nothing', undefined],
  ['no text', 7],
  ['an empty text', ''],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
  ['a line break at the end', `00-${TRACE}-${SPAN}-01\n`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['two of them', `00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`],
  ['a megabyte', `01-${TRACE}-${SPAN}-01-${'x'.repeat(1_000_000)}`],
] as const)('%s is not a traceparent', ([, text]) => {
  expect(readTraceparent(text)).toBeNull();
});

it('only a trace that is recorded is passed on', () => {
  const position = { traceId: TRACE, spanId: SPAN, traceFlags: 1 };
  expect(sampledTraceparent(position)).toBe(`00-${TRACE}-${SPAN}-01`);
  expect(sampledTraceparent({ ...position, traceFlags: 0 })).toBeNull();
});
