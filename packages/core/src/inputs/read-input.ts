import type * as z from 'zod';
import { ok, refuse } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';

/** Checks an input against its schema; every complaint is filed under the name of its field (`body` for the whole). */
export function readInput<Output>(schema: z.ZodType<Output, unknown>, input: unknown): Result<Output> {
  const parsed = schema.safeParse(input);
  return parsed.success ? ok(parsed.data) : invalid(complaints(parsed.error));
}

/** A VALIDATION_FAILED refusal. */
export function invalid(fields: Readonly<Record<string, readonly string[]>>): ReturnType<typeof refuse> {
  return refuse('VALIDATION_FAILED', `The request is not valid: ${Object.keys(fields).join(', ')}.`, {
    fields,
  });
}

function complaints(error: z.ZodError): Record<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const issue of error.issues) {
    const field = String(issue.path[0] ?? 'body');
    const messages = fields.get(field) ?? [];
    if (!messages.includes(issue.message)) messages.push(issue.message);
    fields.set(field, messages);
  }
  return Object.fromEntries(fields);
}
