import type { InstanceResource, MessageResource, WebhookResourceWithSecret } from '@trunkline/core';
import { until } from '@trunkline/test-support';

export const API_KEY = 'a-key-for-the-tests';

export interface TestClient {
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  createInstance(): Promise<InstanceResource>;
  /** Connects and pairs an instance. */
  connect(id: string): Promise<void>;
  instance(id: string): Promise<InstanceResource>;
  registerWebhook(url: string, events: readonly string[]): Promise<WebhookResourceWithSecret>;
  /** Resolves once the message is accepted; right after a start it waits until the instance is connected again. */
  send(message: NewMessage): Promise<MessageResource>;
  /** Sends a document. */
  sendFile(message: { readonly instance: string; readonly content: string }): Promise<MessageResource>;
  message(id: string): Promise<MessageResource>;
}

interface RequestOptions {
  /** A form, or a value to send as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface NewMessage {
  readonly instance: string;
  readonly to?: string;
  readonly text?: string;
  readonly idempotencyKey?: string;
}

export function testClient(url: string, key: string = API_KEY): TestClient {
  const request: TestClient['request'] = async (method, path, { body, headers } = {}) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(isForm ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  const data = async <Resource>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Resource> => {
    const { status, body } = await request(method, path, options);
    return dataOf(status, body);
  };
  const client: TestClient = {
    request,
    createInstance: () => data('POST', '/api/v1/instances'),
    async connect(id) {
      await data('POST', `/api/v1/instances/${id}/connect`);
      await until(
        'the instance shows a QR',
        async () => (await client.instance(id)).status === 'qr_required',
      );
      await data('POST', `/sandbox/instances/${id}/scan`);
    },
    instance: (id) => data('GET', `/api/v1/instances/${id}`),
    registerWebhook: (receiver, events) =>
      data('POST', '/api/v1/webhooks', { body: { url: receiver, events } }),
    send: ({ instance, to = '15550100', text = 'Hello', idempotencyKey }) =>
      until('the message is accepted', async () => {
        const { status, body } = await request('POST', '/api/v1/messages', {
          body: { instance, to, type: 'text', text },
          ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
        });
        return status !== 409 && dataOf<MessageResource>(status, body);
      }),
    sendFile({ instance, content }) {
      const form = new FormData();
      for (const [name, value] of Object.entries({ instance, to: '15550100', type: 'document' }))
        form.set(name, value);
      form.set('file', new File([content], 'file.txt'));
      return data('POST', '/api/v1/messages', { body: form });
    },
    message: (id) => data('GET', `/api/v1/messages/${id}`),
  };
  return client;
}

function dataOf<Resource>(status: number, body: unknown): Resource {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return (body as { data: Resource }).data; // the specification defines this type
}
