import * as z from 'zod';
import { INSTANCE_NAME_MAX } from '../domain/instance/instance.ts';
import { storableText } from './fields.ts';

export type InstanceInput = { readonly name?: string | undefined };
export const instanceInput: z.ZodType<InstanceInput> = z.object({
  name: z
    .string()
    .transform((name) => name.trim())
    .pipe(storableText(1, INSTANCE_NAME_MAX))
    .optional(),
});

/**
 * `pairing_phone_number`: the number, formatted or not, of a phone on which a code is typed instead of scanning the QR.
 */
export type ConnectInput = { readonly pairing_phone_number?: string | null | undefined };
export const connectInput: z.ZodType<ConnectInput> = z.object({
  pairing_phone_number: z.string().nullable().optional(),
});
