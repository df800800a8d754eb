import { dataOf, metaOf } from './call.ts';
import type { Caller } from './call.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { iterate } from './iterate.ts';
import { path } from './request.ts';
import type { SendFileInput, TrunklineClient } from './trunkline-client.ts';

interface PageMeta {
  readonly per_page: number;
  readonly next_cursor: string | null;
  readonly prev_cursor: string | null;
}

export function messageCalls({ call, transport }: Caller): TrunklineClient['messages'] {
  const list: TrunklineClient['messages']['list'] = async (query, options) => {
    const answer = await transport({ method: 'GET', path: '/messages', query, ...options });
    if (!answer.ok) return answer;
    const meta = metaOf<PageMeta>(answer.body);
    return {
      ok: true,
      requestId: answer.requestId,
      data: dataOf(answer.body),
      perPage: meta.per_page ?? 0,
      nextCursor: meta.next_cursor ?? null,
      prevCursor: meta.prev_cursor ?? null,
    };
  };
  return {
    list,
    iterate: (query, options) => iterate((cursor) => list({ ...query, cursor }, options), query?.cursor),
    async send(message, { idempotencyKey = newIdempotencyKey(), signal } = {}) {
      const headers = { 'Idempotency-Key': idempotencyKey };
      const content = message.type === 'text' ? { json: message } : { form: formOf(message) };
      const answer = await transport({ method: 'POST', path: '/messages', ...content, headers, signal });
      if (!answer.ok) return answer;
      const replayed = answer.headers.get('Idempotent-Replayed') === 'true';
      return { ok: true, requestId: answer.requestId, data: dataOf(answer.body), replayed };
    },
    get: (id, options) => call({ method: 'GET', path: path`/messages/${id}`, ...options }),
    async media(id, options) {
      const answer = await transport({
        method: 'GET',
        path: path`/messages/${id}/media`,
        wantsFile: true,
        ...options,
      });
      if (!answer.ok) return answer;
      const { requestId, headers, content = new Blob([]).stream() } = answer;
      const mimeType = headers.get('Content-Type') ?? 'application/octet-stream';
      return { ok: true, requestId, content, mimeType, size: Number(headers.get('Content-Length')) };
    },
  };
}

/** The file last: by then the service knows what it is to be, and refuses the wrong one at its first bytes. */
function formOf({ file, filename, ...fields }: SendFileInput): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  // A Blob would be called "blob".
  form.set('file', file, filename ?? (file instanceof File ? file.name : ''));
  return form;
}
