import * as z from 'zod';

// Schemas for OpenTelemetry's own variables, as its specification defines them. An error message is printed after the
// setting's name, and never quotes a value that may be secret.

export function otlpEndpoint(): z.ZodType<string | undefined> {
  return z
    .string()
    .refine(isEndpoint, 'must be a URL like http://127.0.0.1:4318, without credentials, query and fragment.')
    .transform((url) => new URL(url).href.replace(/\/$/, ''))
    .optional();
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username + password === '' && !/[?#]/.test(text);
}

const HEADER = /^[!#$%&'*+\-.^_`|~\w]+$/;

export function otlpHeaders(): z.ZodType<Readonly<Record<string, string>>> {
  return z.string().transform(headersNamed).default({});
}

function headersNamed(text: string, context: z.RefinementCtx): Readonly<Record<string, string>> {
  try {
    const pairs = text.split(',').map((pair): [string, string] => {
      const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
      return [name, decodeURIComponent(value.trim())];
    });
    if (pairs.every(([name, value]) => HEADER.test(name) && /^[\t -~]+$/.test(value)))
      return Object.fromEntries(pairs);
  } catch {
    // The value is not URL-encoded.
  }
  context.addIssue('must be name=value, separated by commas, with values in URL encoding.');
  return z.NEVER;
}

export function otlpOrNone(): z.ZodType<'otlp' | 'none'> {
  return z.enum(['otlp', 'none'], 'must be otlp or none.').default('otlp');
}

export function share(): z.ZodType<number> {
  const complaint = 'must be a number from 0 to 1.';
  return z
    .string()
    .regex(/^\d{1,2}(\.\d{1,10})?$/, complaint)
    .transform(Number)
    .refine((value) => value <= 1, complaint)
    .default(1);
}
