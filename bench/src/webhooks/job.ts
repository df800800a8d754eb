import { nodeRuntime } from '@trunkline/core/node';
import { signWebhook } from '@trunkline/receiver';
import { newId } from '../storages.ts';
import { originOf, payload, SECRET } from './plan.ts';
import type { Plan } from './plan.ts';

export interface Job {
  readonly url: string;
  readonly deliveryId: string;
  readonly body: string;
}

export function jobsOf(plan: Plan): readonly Job[] {
  return Array.from({ length: plan.webhooks }, (_, index) => {
    const now = Date.now();
    return {
      url: `${originOf(index, plan)}/hook`,
      deliveryId: newId('whd', now),
      body: payload(newId('evt', now)),
    };
  });
}

export interface JobSender {
  /** Signs and sends a job; throws if the receiver did not accept it. */
  send(job: Job): Promise<void>;
  close(): Promise<void>;
}

/** The service's own sender, without its queue of deliveries. */
export function ourSender({ ca }: Plan): JobSender {
  const { webhookSender } = nodeRuntime({
    webhooks: { tls: { ca: [ca] } },
    dns: { resolve: async () => ['127.0.0.1'] },
  });
  return {
    async send({ url, deliveryId, body }) {
      const headers = await signedHeaders(deliveryId, body);
      const request = { url, headers: Object.entries(headers).flat(), body, urlPolicy: 'local' } as const;
      const { errorCode } = await webhookSender.send(request);
      if (errorCode !== null) throw new Error(`${deliveryId} came back: ${errorCode}.`);
    },
    close: () => webhookSender.close(),
  };
}

export async function signedHeaders(deliveryId: string, body: string): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Service-Event': 'message.sent',
    'X-Service-Delivery': deliveryId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': await signWebhook({ secret: SECRET, timestamp, body }),
  };
}
