import type { CoverageResource } from '@trunkline/core';
import * as z from 'zod';
import { exactly } from './exactly.ts';
import { count, timestampOrNull } from './fields.ts';

/** What a look-up by counterpart may lack. */
export const coverage: z.ZodType<CoverageResource> = exactly<CoverageResource>()(
  z.strictObject({
    since: timestampOrNull.meta({
      description:
        'Messages from before this time are being added since an upgrade, and may be missing. Null if all are there.',
    }),
    delay_ms: count.meta({
      description: 'For how long the oldest new message has waited that is missing. 0 if none is.',
    }),
  }),
).meta({
  description: 'What may be missing. Only in look-ups by counterpart, which are beyond the specification.',
});

/** Nothing is missing. */
export const COVERED: CoverageResource = { since: null, delay_ms: 0 };
