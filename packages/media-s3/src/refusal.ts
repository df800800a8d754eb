import { S3Error } from './s3-error.ts';
import { textOf } from './xml.ts';

/** The smallest difference between the clocks that may explain a refusal. */
const SKEW_MS = 10 * 60_000;

/** The error for a request that S3 refused. */
export function refusalOf(method: string, { status, headers }: Response, text: string): S3Error {
  const code = method === 'HEAD' ? presumedCode(status, headers) : codeIn(text);
  const what = `S3 refused a ${method}: ${status}${code === null ? '' : ` ${code}`}.`;
  return new S3Error(`${what} ${remedyFor(status, code)}`, { status, code });
}

function remedyFor(status: number, code: string | null): string {
  if (code === 'RequestTimeTooSkewed') return "Set this machine's clock.";
  if (code === 'ExpiredToken') return 'Check that the credentials have not expired.';
  if (status === 401 || status === 403) return 'Check the credentials, and what they may do in the bucket.';
  if (status >= 500 || status === 429)
    return 'It has trouble of its own or is asked too much: wait, or use it less.';
  return 'Check the bucket, the region and the endpoint.';
}

function codeIn(text: string): string | null {
  const code = textOf(text, 'Code');
  return code !== null && /^[\w.]{1,64}$/.test(code) ? code : null;
}

/** A response to HEAD has no body to name the reason. Guesses two reasons that another attempt can fix. */
function presumedCode(status: number, headers: Headers): string | null {
  if (status === 400) return 'ExpiredToken';
  const theirs = Date.parse(headers.get('Date') ?? '');
  return status === 403 && Math.abs(theirs - Date.now()) > SKEW_MS ? 'RequestTimeTooSkewed' : null;
}
