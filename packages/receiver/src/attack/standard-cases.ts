import { createHmac } from 'node:crypto';
import { STANDARD_ID_HEADER, STANDARD_SIGNATURE_HEADER, STANDARD_TIMESTAMP_HEADER } from '../headers.ts';
import { createStandardSignature, hasStandardKey } from '../standard-signature.ts';
import { refused, type AttackCase, type Genuine } from './attack-case.ts';
import { withHeaders, type RawRequest } from './raw-request.ts';

/**
 * Requests with only the headers of Standard Webhooks that every receiver must refuse. A receiver may ignore these
 * headers, so no case requires it to accept a request.
 */
export const STANDARD_CASES: readonly AttackCase[] = [
  standard('a Standard Webhooks signature of zeros', () => ({ signature: `v1,${'A'.repeat(43)}=` })),
  standard('an empty Standard Webhooks signature', () => ({ signature: '' })),
  standard('a Standard Webhooks signature by an empty key', ({ now, text }) => ({
    signature: `v1,${createHmac('sha256', '').update(`${ID}.${now}.${text}`).digest('base64')}`,
  })),
  standard('a Standard Webhooks signature by the text of another secret', ({ now, text }) => ({
    signature: `v1,${createHmac('sha256', 'whsec_another').update(`${ID}.${now}.${text}`).digest('base64')}`,
  })),
  standard('the service’s own signature under the name of Standard Webhooks', ({ parts }) => ({
    signature: parts.signature,
  })),
  standard('a right Standard Webhooks signature under another id', async (genuine) => ({
    id: 'evt_another',
    signature: await rightly(genuine, genuine.now),
  })),
  standard('a right Standard Webhooks signature without an id', async (genuine) => ({
    id: null,
    signature: await rightly(genuine, genuine.now),
  })),
  standard('a stale Standard Webhooks timestamp, 6 minutes old', async (genuine) => ({
    timestamp: `${genuine.now - 360}`,
    signature: await rightly(genuine, genuine.now - 360),
  })),
  standard('a Standard Webhooks timestamp 6 minutes ahead', async (genuine) => ({
    timestamp: `${genuine.now + 360}`,
    signature: await rightly(genuine, genuine.now + 360),
  })),
];

const ID = 'evt_attack';

interface StandardParts {
  readonly id?: string | null;
  readonly timestamp?: string;
  readonly signature: string;
}

function standard(
  name: string,
  make: (genuine: Genuine) => StandardParts | Promise<StandardParts>,
): AttackCase {
  return refused(name, async (genuine): Promise<RawRequest> => {
    const { id = ID, timestamp = `${genuine.now}`, signature } = await make(genuine);
    return withHeaders(genuine.parts.body, [
      ...(id === null ? [] : [[STANDARD_ID_HEADER, id] as const]),
      [STANDARD_TIMESTAMP_HEADER, timestamp],
      [STANDARD_SIGNATURE_HEADER, signature],
    ]);
  });
}

/** A valid signature; zeros if the secret is not base64, which allows no valid signature. */
async function rightly({ secret, text }: Genuine, timestamp: number): Promise<string> {
  if (!hasStandardKey(secret)) return `v1,${'A'.repeat(43)}=`;
  return createStandardSignature(secret, { id: ID, timestamp: `${timestamp}`, body: text });
}
