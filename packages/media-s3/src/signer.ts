import { AwsV4Signer } from 'aws4fetch';
import { createCredentialSource } from './credentials.ts';
import type { CheckedS3Options } from './options.ts';
import type { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';

export interface Signer {
  sign(request: S3Request): Promise<{ readonly url: URL; readonly headers: Headers }>;
  /** Corrects the clock's offset or drops expired credentials, so that another attempt can succeed. */
  learnFrom(refusal: S3Error, headers: Headers): void;
}

export function createSigner(options: CheckedS3Options): Signer {
  const credentials = createCredentialSource(options.credentials);
  /**
   * How far S3's clock is ahead of this machine's. S3 refuses signatures that are more than 15 minutes early or late.
   */
  let clockOffsetMs = 0;

  return {
    async sign({ method, key, query = {}, headers = {}, body }) {
      const { accessKeyId, secretAccessKey, sessionToken } = await credentials.get();
      const url = new URL(key === undefined ? options.bucketUrl : `${options.bucketUrl}/${key}`);
      url.search = new URLSearchParams(query).toString();
      const signed = await new AwsV4Signer({
        method,
        url: url.href,
        // S3 compares this hash with the body.
        headers: { ...headers, 'X-Amz-Content-Sha256': await sha256(body ?? new Uint8Array()) },
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
        service: 's3',
        region: options.region,
        datetime: basicTime(Date.now() + clockOffsetMs),
      }).sign();
      return { url: signed.url, headers: signed.headers };
    },
    learnFrom({ code }, headers) {
      if (code === 'ExpiredToken') credentials.forget();
      if (code !== 'RequestTimeTooSkewed') return;
      const theirs = Date.parse(headers.get('Date') ?? '');
      if (!Number.isNaN(theirs)) clockOffsetMs = theirs - Date.now();
    },
  };
}

/** Formats a time as in `20260730T120000Z`. */
function basicTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
}

async function sha256(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
