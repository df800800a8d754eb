import { KIND_RULES, MESSAGE_KINDS } from '@trunkline/core/spi/http';
import type { MessageKind, MessagePayload } from '@trunkline/core/spi/http';
import * as z from 'zod';

export const kind: z.ZodType<MessageKind> = z.enum(MESSAGE_KINDS).meta({
  description: 'Finer than `type`, and the same if there is no more to say. New kinds may be added.',
});

export const payload: z.ZodType<MessagePayload | null> = z
  .union(
    [...new Set(Object.values(KIND_RULES).map((rules) => rules.payload))].filter((schema) => schema !== null),
  )
  .nullable()
  .meta({ description: 'The fields of the kind, if it has any.' });
