import { Agent, fetch } from 'undici';
import { signedHeaders } from './job.ts';
import type { JobSender } from './job.ts';
import { agentOptions } from './plan.ts';
import type { Plan } from './plan.ts';

/** Undici's `fetch`, which most programs would use. */
export function fetchSender(plan: Plan): JobSender {
  const dispatcher = new Agent(agentOptions(plan));
  return {
    async send({ url, deliveryId, body }) {
      const headers = await signedHeaders(deliveryId, body);
      const response = await fetch(url, { method: 'POST', headers, body, dispatcher });
      await response.text();
      if (response.status !== 200) throw new Error(`The receiver responded ${response.status}.`);
    },
    close: () => dispatcher.close(),
  };
}
