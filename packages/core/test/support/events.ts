import type { SelectedEvent, Trunkline } from '../../src/index.ts';
import type { IncomingMessage } from '../../src/spi/gateway.ts';
import { scriptedGateway } from './scripted-gateway.ts';
import { HOUR, MINUTE, startWorld } from './world.ts';
import type { World } from './world.ts';

/** Between the attempts of an event, which are those of a webhook. */
export const WAITS: readonly number[] = [
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** An event that a handler was called with. */
export interface Call {
  readonly event: SelectedEvent<'*'>;
  readonly attempt: number;
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface EventWorld {
  readonly world: World;
  /** A message arrives: `message.received`. */
  arrive(): Promise<void>;
}

type Options = NonNullable<Parameters<typeof startWorld>[0]>;

/** A world with a connected instance, to which messages can come. Its handlers are added by `prepare`. */
export async function startEventWorld(options: Options = {}): Promise<EventWorld> {
  const gateway = scriptedGateway();
  const world = await startWorld({ gateway, ...options });
  const { id } = await world.api.instances.create();
  await world.api.instances.connect(id);
  await world.clock.settle();
  let count = 0;
  return {
    world,
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
      await world.clock.settle();
    },
  };
}

/** A handler of `message.received` called `orders` that notes its calls, and then does as it is told. */
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
