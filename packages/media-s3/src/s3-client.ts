import { contentOf } from './content.ts';
import type { CheckedS3Options } from './options.ts';
import { refusalOf } from './refusal.ts';
import { mayPass, waitBeforeRetry } from './retry.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import { createSigner } from './signer.ts';

export interface S3Response {
  readonly headers: Headers;
  readonly text: string;
}

interface S3Content {
  readonly status: number;
  readonly content: ReadableStream<Uint8Array>;
}

/** Both methods reject with an S3Error unless the status is 2xx; `call` also rejects if the body contains an error. */
export interface S3Client {
  call(request: S3Request, maxAttempts?: number): Promise<S3Response>;
  /** Opens a response whose content streams as it is read. */
  open(request: S3Request): Promise<S3Content>;
}

/** A client that sends with fetch. Each attempt has its own signature and deadline. */
export function createS3Client(options: CheckedS3Options): S3Client {
  const signer = createSigner(options);

  /** Returns as soon as the response begins. */
  const send = async (request: S3Request, signal: AbortSignal): Promise<Response> => {
    const { method, body } = request;
    const { url, headers } = await signer.sign(request);
    // Request the file as it is stored. This header is not signed, because proxies change it.
    headers.set('Accept-Encoding', 'identity');
    const response = await options
      .fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
      .catch((error: unknown) => {
        throw new S3Error(`S3 did not respond to a ${method}. Check the endpoint and the network.`, {
          cause: error,
        });
      });
    if (response.ok) return response;
    const refusal = refusalOf(method, response, await readText(response).catch(() => ''));
    signer.learnFrom(refusal, response.headers);
    throw refusal;
  };

  const withRetries = async <Reply>(
    maxAttempts: number,
    attempt: (abort: AbortController) => Promise<Reply>,
  ): Promise<Reply> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await beforeDeadline(options.requestMs, attempt);
      } catch (error) {
        if (attempts >= maxAttempts || !mayPass(error)) throw error;
      }
      await waitBeforeRetry(attempts);
    }
  };

  return {
    call: (request, maxAttempts = options.maxAttempts) =>
      withRetries(maxAttempts, async ({ signal }) => {
        const response = await send(request, signal);
        const text = await readText(response).catch((error: unknown) => {
          throw new S3Error(`S3 broke off its response to a ${request.method}. Check the network.`, {
            cause: error,
          });
        });
        // S3 begins some responses, with status 200, before it knows the outcome.
        if (text.includes('<Error>')) throw refusalOf(request.method, response, text);
        return { headers: response.headers, text };
      }),
    open: (request) =>
      withRetries(options.maxAttempts, async (abort) => {
        const response = await send(request, abort.signal);
        return { status: response.status, content: contentOf(response, options.stallMs, abort) };
      }),
  };
}

/** Aborts an attempt that takes too long, without waiting until the attempt notices. */
async function beforeDeadline<Reply>(
  ms: number,
  attempt: (abort: AbortController) => Promise<Reply>,
): Promise<Reply> {
  const abort = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new S3Error(`S3 did not respond within ${ms} ms. Check the endpoint and the network.`));
    abort.abort();
  }, ms);
  try {
    return await Promise.race([attempt(abort), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Longer than any response without a file, even a list of a thousand uploads. The rest of a longer response is not
 * read.
 */
const LONGEST_TEXT = 2 * 1_048_576;

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_TEXT) break;
  }
  return text;
}
