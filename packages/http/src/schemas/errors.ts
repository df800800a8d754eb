import { ERROR_STATUS } from '@trunkline/core/spi/http';
import type { ErrorCode } from '@trunkline/core';
import * as z from 'zod';

export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly request_id: string | null;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
  };
}

// The cast is safe, because the keys of this table are the codes.
const codes = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The body of every error response (specification, "Errors"). */
export const errorBody: z.ZodType<ErrorBody> = z.strictObject({
  error: z.strictObject({
    code: z.enum(codes).meta({ description: 'What clients branch on.' }),
    message: z.string().meta({ description: 'For people; it may change.' }),
    request_id: z.string().nullable(),
    details: z
      .looseObject({
        fields: z.record(z.string(), z.array(z.string())).optional().meta({
          description: 'On VALIDATION_FAILED: the complaints about each field, `body` for the whole of it.',
        }),
        retry_after: z.int().min(1).optional().meta({ description: 'On status 429: seconds to wait.' }),
        limit: z.int().optional().meta({ description: 'On status 429: the limit that applied.' }),
        reset: z.int().optional().meta({ description: 'On status 429: Unix time when to come back.' }),
        required_scope: z.string().optional().meta({ description: 'On INSUFFICIENT_SCOPE.' }),
        reason: z.string().optional(),
      })
      .optional(),
  }),
});
