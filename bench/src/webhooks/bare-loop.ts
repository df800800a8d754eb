// What is left without a service around it: sign and send, as many at once.
import { Agent, fetch } from 'undici';
import { signWebhook } from '@trunkline/receiver';
import { createMeter, IN_FLIGHT, originOf, payload, SECRET } from './plan.ts';
import type { Plan, SendFigures } from './plan.ts';

type Send = (origin: string, headers: Record<string, string>, body: string) => Promise<number>;

/** Sends everything through undici, either by `dispatch` or by `fetch`. */
export async function bareLoop(plan: Plan, how: 'dispatch' | 'fetch'): Promise<SendFigures> {
  const agent = new Agent({
    connect: {
      ca: plan.ca,
      lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    },
    allowH2: false,
    connections: 2,
    keepAliveTimeout: 60_000,
  });
  const send = how === 'dispatch' ? dispatching(agent) : fetching(agent);
  const meter = createMeter(plan.webhooks);
  let next = 0;
  const sendOneByOne = async (): Promise<void> => {
    while (next < plan.webhooks) {
      const index = next;
      next += 1;
      const body = payload(`evt_${index}`);
      const status = await send(originOf(index, plan), await signedHeaders(body, index), body);
      if (status !== 200) throw new Error(`The receiver answered ${status}.`);
      meter.sent();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendOneByOne));
  await agent.close();
  return meter.done;
}

async function signedHeaders(body: string, index: number): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Service-Event': 'message.sent',
    'X-Service-Delivery': `whd_${index}`,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': await signWebhook({ secret: SECRET, timestamp, body }),
  };
}

function dispatching(agent: Agent): Send {
  return (origin, headers, body) =>
    new Promise((resolve, reject) => {
      let status = 0;
      agent.dispatch(
        { origin, path: '/hook', method: 'POST', headers: Object.entries(headers).flat(), body },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode) {
            status = statusCode;
          },
          onResponseData() {},
          onResponseEnd: () => resolve(status),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
}

function fetching(agent: Agent): Send {
  return async (origin, headers, body) => {
    const response = await fetch(`${origin}/hook`, { method: 'POST', headers, body, dispatcher: agent });
    await response.text();
    return response.status;
  };
}
