// A process of a cluster: it holds its share of the instances on its own sandbox network, and sends webhooks.
import { createTrunkline } from '@trunkline/core';
import type { Gateway, Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { serveParent } from '../child.ts';
import { STORAGES } from '../storages.ts';
import { RECIPIENT, SECRET_KEY } from './plan.ts';
import type { ScalePlan } from './plan.ts';
import type { Resident } from './population.ts';

export type Question =
  | { readonly kind: 'memory' }
  /** Accepts a message from each instance. The response is the messages' ids. */
  | { readonly kind: 'send'; readonly residents: readonly Resident[] };

/** In bytes. */
export interface Usage {
  readonly resident: number;
  /** The heap after a garbage collection. */
  readonly heap: number;
}

/** Makes every instance look as if it had been linked before. The sandbox network does not check this. */
function linkedBefore(gateway: Gateway): Gateway {
  const profile = { phoneNumber: '15550100', profileName: 'Bench', profilePictureUrl: null };
  const device = new TextEncoder().encode(JSON.stringify(profile));
  return {
    ...gateway,
    open: (session, listener, options) => {
      const known = {
        ...session,
        load: async () => new Map([...(await session.load()), ['device', device]]),
      };
      return gateway.open(known, listener, options);
    },
  };
}

const plan = JSON.parse(process.argv[2] ?? '') as ScalePlan; // the parent wrote the plan
const trunkline: Trunkline = createTrunkline({
  ...nodeRuntime(),
  storage: STORAGES.postgres(plan.directory),
  gateways: [linkedBefore(createSandbox().gateway)],
  secretKey: SECRET_KEY,
  urlPolicy: 'local',
});

async function respond(question: Question): Promise<unknown> {
  switch (question.kind) {
    case 'memory': {
      globalThis.gc?.();
      const { rss: resident, heapUsed: heap } = process.memoryUsage();
      return { resident, heap } satisfies Usage;
    }
    case 'send':
      return Promise.all(
        question.residents.map(async ({ id, workspaceId }) => {
          const input = {
            instance: id,
            to: RECIPIENT,
            type: 'text',
            text: 'hello world '.repeat(10),
          } as const;
          return (await trunkline.workspace(workspaceId).messages.send(input)).message.id;
        }),
      );
  }
}

await trunkline.start();
serveParent(
  process.pid,
  (question) => respond(question as Question), // the parent sends a `Question`
  () => trunkline.stop(),
);
