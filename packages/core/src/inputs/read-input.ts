import type * as z from 'zod';
import { withFullStop } from '../domain/full-stop.ts';
import { ok, refuse } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';

/** The message of a refusal names at most this many fields, because a query may have any number of unknown fields. */
const MOST_NAMED = 5;

/**
 * Checks an input against its schema; every error is listed under the name of its field (`body` for the whole). If the
 * input is the value of the field `within`, the name is the whole path, such as `payload.options.0`.
 */
export function readInput<Output>(
  schema: z.ZodType<Output, unknown>,
  input: unknown,
  within?: string,
): Result<Output> {
  const parsed = schema.safeParse(input, { error: inWords });
  return parsed.success ? ok(parsed.data) : invalid(complaints(parsed.error, within));
}

/** A VALIDATION_FAILED refusal. Its message names the first wrong fields with their errors. */
export function invalid(fields: Readonly<Record<string, readonly string[]>>): ReturnType<typeof refuse> {
  const all = Object.entries(fields);
  const named = all
    .slice(0, MOST_NAMED)
    .map(([field, messages]) => `${field}: ${messages.map(withFullStop).join(' ')}`);
  const rest = all.length > named.length ? [`details.fields has ${all.length - named.length} more.`] : [];
  return refuse('VALIDATION_FAILED', ['The request is not valid.', ...named, ...rest].join(' '), { fields });
}

/**
 * The error for a missing value, or for a value outside a list. Other errors get the text of the schema or the library.
 */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Is required.';
  if (issue.code !== 'invalid_value') return undefined;
  return `Must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}.`;
}

function complaints(error: z.ZodError, within: string | undefined): Record<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const issue of error.issues) {
    const field = within === undefined ? String(issue.path[0] ?? 'body') : [within, ...issue.path].join('.');
    const messages = fields.get(field) ?? [];
    if (!messages.includes(issue.message)) messages.push(issue.message);
    fields.set(field, messages);
  }
  return Object.fromEntries(fields);
}
