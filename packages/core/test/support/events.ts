import type { SelectedEvent, Trunkline } from '../../src/index.ts';
import type { IncomingMessage } from '../../src/spi/gateway.ts';
import { scriptedGateway } from './scripted-gateway.ts';
import { HOUR, MINUTE, startHarness } from './harness.ts';
import type { Harness } from './harness.ts';

/** The waits between the attempts of an event, the same as those of a webhook. */
export const WAITS: readonly number[] = [
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

export interface Call {
  readonly event: SelectedEvent<'*'>;
  readonly attempt: number;
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface EventHarness {
  readonly harness: Harness;
  /** Makes a message arrive, which causes `message.received`. */
  arrive(): Promise<void>;
}

type Options = NonNullable<Parameters<typeof startHarness>[0]>;

/** A harness with a connected instance that can receive messages. Handlers are added by `prepare`. */
export async function startEventHarness(options: Options = {}): Promise<EventHarness> {
  const gateway = scriptedGateway();
  const harness = await startHarness({ gateway, ...options });
  const { id } = await harness.api.instances.create();
  await harness.api.instances.connect(id);
  await harness.clock.settle();
  let count = 0;
  return {
    harness,
    async arrive() {
      count += 1;
      const message: IncomingMessage = {
        networkId: `IN${count}`,
        senderId: '34600000009@net',
        from: '34600000009',
        groupNetworkId: null,
        content: { type: 'text', text: `Message ${count}` },
      };
      await gateway.last().listener.message(message);
      await harness.clock.settle();
    },
  };
}

/** A handler of `message.received`, by default called `orders`, that records its calls and then calls `how`. */
export function recordingHandler(
  clock: { now(): number },
  how: (call: Call) => unknown = () => null,
): { readonly calls: Call[]; on(trunkline: Trunkline, options?: object): ReturnType<Trunkline['on']> } {
  const calls: Call[] = [];
  return {
    calls,
    on: (trunkline, options = {}) =>
      trunkline.on(
        'message.received',
        (event, context) => {
          const call = { event, ...context, at: clock.now() };
          calls.push(call);
          return how(call);
        },
        { name: 'orders', ...options },
      ),
  };
}
