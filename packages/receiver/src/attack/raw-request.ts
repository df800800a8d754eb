import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../headers.ts';
import { createSignature } from '../signature.ts';
import { createEvent, type EventDraft } from '../testing/sign-request.ts';

/** A request whose headers are a list, so that a name can be repeated. */
export interface RawRequest {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface Parts {
  readonly timestamp: string;
  readonly signature: string;
  readonly body: Uint8Array;
}

/** Signs a body with any text as its timestamp, valid or not; by default, with the endpoint's secret. */
export type Sign = (timestamp: string, body: Uint8Array | string, secret?: string) => Promise<Parts>;

export function signer(secret: string): Sign {
  return async (timestamp, content, otherSecret = secret) => {
    const body = typeof content === 'string' ? Buffer.from(content) : content;
    return { timestamp, body, signature: await createSignature(otherSecret, timestamp, body) };
  };
}

export function requestOf({ timestamp, signature, body }: Parts): RawRequest {
  return withHeaders(body, [
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, signature],
  ]);
}

export function withHeaders(body: Uint8Array, headers: RawRequest['headers']): RawRequest {
  return { body, headers: [['Content-Type', 'application/json'], ...headers] };
}

/** A `webhook.test` event, so that no handler of real events runs, with a conspicuous id. */
export function attackEvent(): ReturnType<typeof createEvent> {
  return createEvent({ ...ATTACK, id: `evt_attack_${crypto.randomUUID().replaceAll('-', '')}` });
}

const ATTACK: EventDraft = {
  type: 'webhook.test',
  // A decoder turns invalid UTF-8 into U+FFFD, so bodies with such bytes look like this one.
  data: { webhook: { id: 'wh_attack', url: 'https://attack.test/', description: 'Attack: \uFFFD' } },
};
