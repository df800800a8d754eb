import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sized } from '@trunkline/test-support/long-form';
import {
  HOUR,
  SECOND,
  connectInstance,
  listen,
  only,
  startHarness,
  receivedEvents,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { killable } from './support/killable.ts';

const RECIPIENTS = ['34600000011', '34600000012', '34600000013'];

const RUNS = sized('DISTURBANCE_RUNS', { short: 6, long: 20 });

type Disturbance =
  | { readonly kind: 'send' | 'receive'; readonly instance: number }
  | { readonly kind: 'drop' | 'disconnect' | 'connect'; readonly instance: number }
  | { readonly kind: 'kill' | 'stop' | 'start'; readonly process: number }
  | { readonly kind: 'wait'; readonly ms: number };

const onInstance = fc.record({
  kind: fc.constantFrom('send', 'send', 'send', 'receive', 'drop', 'disconnect', 'connect'),
  instance: fc.nat(2),
});
const onProcess = fc.record({ kind: fc.constantFrom('kill', 'stop', 'start'), process: fc.nat(1) });
const wait = fc.record({ kind: fc.constant('wait'), ms: fc.oneof(fc.nat(100), fc.nat(40_000)) });
const disturbances: fc.Arbitrary<readonly Disturbance[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: onInstance },
    { weight: 1, arbitrary: onProcess },
    { weight: 3, arbitrary: wait },
  ),
  { maxLength: 30 },
);

/**
 * One process for requests and webhooks, and two processes that hold connections and may be killed, stopped and
 * started.
 */
class Installation {
  readonly harness: Harness;
  readonly instances: readonly string[];
  readonly accepted: {
    readonly id: string;
    readonly instance: string;
    readonly to: string;
    readonly text: string;
  }[] = [];
  received = 0;
  readonly #processes: ({ stop(): Promise<void>; kill(): void } | null)[] = [null, null];

  static async create(): Promise<Installation> {
    const harness = await startHarness({ roles: only('api', 'webhooks') });
    await listen(harness);
    const first = await harness.another({ roles: only('gateway') });
    const instances = [
      await connectInstance(harness),
      await connectInstance(harness),
      await connectInstance(harness),
    ];
    await first.trunkline.stop();
    const installation = new Installation(harness, instances);
    for (const process of [0, 1]) await installation.act({ kind: 'start', process });
    await harness.clock.settle();
    return installation;
  }

  private constructor(harness: Harness, instances: readonly string[]) {
    this.harness = harness;
    this.instances = instances;
  }

  async act(act: Disturbance): Promise<void> {
    const { api, clock, sandbox } = this.harness;
    // Move time first, because reports of two processes in the same millisecond have no defined order.
    await clock.advance(1);
    switch (act.kind) {
      case 'wait':
        return clock.advance(act.ms);
      case 'send':
        return this.#ifPossible(this.#send(this.#instance(act)));
      case 'receive':
        return this.#ifPossible(this.#receive(this.#instance(act)));
      case 'drop':
        return this.#ifPossible((async () => sandbox.phone(this.#instance(act)).drop())());
      case 'disconnect':
        return this.#ifPossible(
          Promise.race([api.instances.disconnect(this.#instance(act)), clock.settle()]),
        );
      case 'connect':
        return this.#ifPossible(api.instances.connect(this.#instance(act)));
      case 'start':
        this.#processes[act.process] ??= await this.#start();
        return undefined;
      case 'stop':
        await this.#end(act.process, 'stop');
        return undefined;
      case 'kill':
        await this.#end(act.process, 'kill');
        return undefined;
    }
  }

  async #start() {
    const { storage, kill } = killable(this.harness.storage);
    const { trunkline } = await this.harness.another({ roles: only('gateway'), storage });
    return { stop: () => trunkline.stop(), kill };
  }

  async #end(process: number, how: 'stop' | 'kill'): Promise<void> {
    const running = this.#processes[process];
    this.#processes[process] = null;
    if (how === 'kill') return running?.kill();
    const stopping = running?.stop();
    await this.harness.clock.advance(SECOND);
    await stopping;
  }

  async #send(instance: string): Promise<void> {
    const text = `message ${this.accepted.length}`;
    const to = RECIPIENTS[this.accepted.length % RECIPIENTS.length] ?? '';
    const { message } = await this.harness.api.messages.send({ instance, to, type: 'text', text });
    this.accepted.push({ id: message.id, instance, to, text });
  }

  async #receive(instance: string): Promise<void> {
    await this.harness.sandbox.phone(instance).receive({ from: '34600000009', text: 'Hi' });
    this.received += 1;
  }

  /** Ignores refusals, which these tests are not about. */
  async #ifPossible(work: Promise<unknown>): Promise<void> {
    await work.catch(() => {});
  }

  #instance({ instance }: { readonly instance: number }): string {
    return this.instances[instance] ?? '';
  }

  /** Starts both processes, connects all instances, and lets enough time pass for recovery. */
  async recover(): Promise<void> {
    for (const process of [0, 1]) await this.act({ kind: 'start', process });
    await this.harness.clock.advance(2 * 60 * SECOND);
    for (let instance = 0; instance < this.instances.length; instance++)
      await this.act({ kind: 'connect', instance });
    await this.harness.clock.advance(HOUR / 6);
  }
}

async function disturbed(acts: readonly Disturbance[]): Promise<Installation> {
  const installation = await Installation.create();
  for (const act of acts) await installation.act(act);
  await installation.recover();
  return installation;
}

describe('a service after any disturbance', () => {
  it('every message was taken by the network once, in the order of its chat, and each step reported once', async () => {
    await fc.assert(
      fc.asyncProperty(disturbances, async (acts) => {
        const { harness, instances, accepted } = await disturbed(acts);
        for (const instance of instances) {
          const taken = harness.sandbox.phone(instance).accepted();
          for (const recipient of RECIPIENTS) {
            const own = accepted.filter((one) => one.instance === instance && one.to === recipient);
            expect(taken.filter(({ to }) => to === recipient).map(({ text }) => text)).toEqual(
              own.map(({ text }) => text),
            );
          }
        }
        const events = receivedEvents(harness).filter(({ type }) => type.startsWith('message.'));
        for (const { id } of accepted) {
          expect(await harness.api.messages.get(id)).toMatchObject({ status: 'read' });
          const own = events
            .filter(({ data }) => 'message' in data && data.message.id === id)
            .map(({ type }) => type);
          expect(own).toEqual(['message.sent', 'message.delivered', 'message.read']);
        }
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it('every message that came in is stored and reported once', async () => {
    await fc.assert(
      fc.asyncProperty(disturbances, async (acts) => {
        const { harness, received } = await disturbed(acts);
        expect((await harness.api.messages.list({ direction: 'inbound', limit: 100 })).data).toHaveLength(
          received,
        );
        expect(receivedEvents(harness).filter(({ type }) => type === 'message.received')).toHaveLength(
          received,
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('every instance is connected again without a QR, and was reported as connected and disconnected in turn', async () => {
    await fc.assert(
      fc.asyncProperty(disturbances, async (acts) => {
        const { harness, instances } = await disturbed(acts);
        for (const instance of instances) {
          expect(await harness.api.instances.get(instance)).toMatchObject({
            status: 'connected',
            paired: true,
          });
          const own = receivedEvents(harness).filter(
            ({ data }) => 'instance' in data && data.instance.id === instance,
          );
          const types = own.map(({ type }) => type);
          expect(types.filter((type) => type === 'instance.qr_required')).toHaveLength(1);
          expect(types.some((type, i) => type === types[i + 1] && type === 'instance.connected')).toBe(false);
          expect(types.at(-1)).toBe('instance.connected');
        }
      }),
      { numRuns: RUNS },
    );
  });
});
