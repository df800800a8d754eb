// Only signs and sends, with as many requests in flight as the service.
import { Agent } from 'undici';
import { fetchSender } from './fetch-sender.ts';
import { jobsOf, signedHeaders } from './job.ts';
import type { JobSender } from './job.ts';
import { agentOptions, createMeter, IN_FLIGHT } from './plan.ts';
import type { Plan, SendFigures } from './plan.ts';

export async function bareLoop(plan: Plan, how: 'dispatch' | 'fetch'): Promise<SendFigures> {
  const sender = how === 'dispatch' ? dispatchSender(plan) : fetchSender(plan);
  const jobs = jobsOf(plan).values();
  const meter = createMeter(plan.webhooks);
  const sendOneByOne = async (): Promise<void> => {
    for (const job of jobs) {
      await sender.send(job);
      meter.sent();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendOneByOne));
  await sender.close();
  return meter.done;
}

function dispatchSender(plan: Plan): JobSender {
  const agent = new Agent(agentOptions(plan));
  const post = (url: URL, headers: readonly string[], body: string): Promise<number> =>
    new Promise((resolve, reject) => {
      let status = 0;
      agent.dispatch(
        { origin: url.origin, path: url.pathname, method: 'POST', headers: [...headers], body },
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
  return {
    async send({ url, deliveryId, body }) {
      const headers = await signedHeaders(deliveryId, body);
      const status = await post(new URL(url), Object.entries(headers).flat(), body);
      if (status !== 200) throw new Error(`The receiver responded ${status}.`);
    },
    close: () => agent.close(),
  };
}
