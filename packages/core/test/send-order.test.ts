import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sized } from '@trunkline/test-support/long-form';
import type { OutgoingMessage, SendOutcome } from '../src/spi/gateway.ts';
import type { Storage } from '../src/index.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import type { ManualClock } from '../src/testing/index.ts';
import { killable } from './support/killable.ts';
import { mediaGateway, PNG } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway, silence, texts } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import {
  connectInstance,
  connectScripted,
  MINUTE,
  only,
  SECOND,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const RUNS = sized('SEND_ORDER_RUNS', { short: 15, long: 200 });
const ACCEPTED: SendOutcome = { kind: 'accepted' };
const UNKNOWN: SendOutcome = { kind: 'unknown', reason: 'no response' };

function gatewayOf(sendsAtOnce: number, script: Partial<Script> = {}): ScriptedGateway {
  return { ...scriptedGateway(script), sendsAtOnce };
}

const person = (number: number): string => `3460000${100 + number}`;

/** A gateway whose sends end when the test says so. */
function respondedByHand(sendsAtOnce: number) {
  const open: { readonly message: OutgoingMessage; readonly respond: (outcome: SendOutcome) => void }[] = [];
  const gateway = gatewayOf(sendsAtOnce, {
    send: (message) => new Promise((respond) => open.push({ message, respond })),
  });
  return {
    gateway,
    waiting: () => texts(open.map(({ message }) => message)),
    respond(text: string, outcome: SendOutcome = ACCEPTED): void {
      const index = open.findIndex(({ message }) => texts([message])[0] === text);
      const [one] = open.splice(index, 1);
      if (index < 0 || !one) throw new Error(`The gateway does not send ${text}.`);
      one.respond(outcome);
    },
  };
}

describe('a gateway that sends several messages at once', () => {
  it('gets one message for each recipient, and the next one when that has its outcome', async () => {
    const { gateway, waiting, respond } = respondedByHand(3);
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    for (const [to, text] of [
      [1, 'a1'],
      [1, 'a2'],
      [2, 'b1'],
      [3, 'c1'],
      [4, 'd1'],
      [2, 'b2'],
    ] as const)
      await sendText(harness, id, person(to), text);
    await harness.clock.settle();
    expect(waiting()).toEqual(['a1', 'b1', 'c1']);
    respond('b1');
    await harness.clock.settle();
    expect(waiting()).toEqual(['a1', 'c1', 'd1']);
    respond('c1');
    await harness.clock.settle();
    expect(waiting()).toEqual(['a1', 'd1', 'b2']);
    respond('a1');
    await harness.clock.settle();
    expect(waiting()).toEqual(['d1', 'b2', 'a2']);
  });

  it('keeps only the chat of a recipient who does not respond waiting', async () => {
    const gateway = gatewayOf(2, {
      send: ({ to }) => (to === person(1) ? silence() : Promise.resolve(ACCEPTED)),
    });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    for (let count = 1; count <= 3; count += 1)
      for (const to of [1, 2, 3]) await sendText(harness, id, person(to), `${to} ${count}`);
    await harness.clock.settle();
    const sent = texts(gateway.sent());
    for (const to of [2, 3])
      expect(sent.filter((text) => text?.startsWith(`${to} `))).toEqual([1, 2, 3].map((n) => `${to} ${n}`));
    expect(sent.filter((text) => text?.startsWith('1 '))).toEqual(['1 1']);
  });

  it('sends at most two files at once, and texts beside them', async () => {
    const gateway = {
      ...mediaGateway({ send: ({ content }) => ('file' in content ? silence() : Promise.resolve(ACCEPTED)) }),
      sendsAtOnce: 4,
    };
    const harness = await startHarness({ gateway, media: memoryMediaStore() });
    const instance = await connectScripted(harness);
    for (let to = 1; to <= 6; to += 1)
      await harness.api.messages.send({
        instance,
        to: person(to),
        type: 'image',
        file: new Blob([PNG]).stream(),
      });
    for (let to = 11; to <= 20; to += 1) await sendText(harness, instance, person(to), `${to}`);
    await harness.clock.settle();
    const files = gateway.sent().filter(({ content }) => 'file' in content);
    expect(files.map(({ to }) => to)).toEqual([person(1), person(2)]);
    expect(gateway.sent()).toHaveLength(12);
  });

  it('retries each message that it gave no outcome for, at its own times', async () => {
    const tries: [string, number][] = [];
    const gateway = gatewayOf(4);
    const harness = await startHarness({ gateway });
    const began = () => harness.clock.now() - from;
    gateway.script.send = async ({ to }) => {
      tries.push([to, began()]);
      return UNKNOWN;
    };
    const id = await connectScripted(harness);
    const from = harness.clock.now();
    await sendText(harness, id, person(1));
    await harness.clock.advance(500);
    await sendText(harness, id, person(2));
    await harness.clock.advance(20 * SECOND);
    const of = (number: number) => tries.flatMap(([to, at]) => (to === person(number) ? [at] : []));
    expect(of(1)).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(of(2)).toEqual([500, 1_500, 3_500, 7_500, 15_500]);
  });

  it('has no second message to a recipient in flight if the first was erased', async () => {
    const { gateway, waiting, respond } = respondedByHand(4);
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const { message } = await sendText(harness, id, person(1), 'a1');
    await sendText(harness, id, person(1), 'a2');
    await harness.clock.settle();
    await erase(harness, message.id);
    await harness.clock.advance(10 * SECOND);
    expect(waiting()).toEqual(['a1']);
    respond('a1');
    await harness.clock.settle();
    expect(waiting()).toEqual(['a2']);
  });

  it('gets no message again that a late read shows after its outcome was recorded', async () => {
    const { gateway, waiting, respond } = respondedByHand(4);
    const storage = memoryStorage();
    const harness = await startHarness({ gateway, storage });
    const id = await connectScripted(harness);
    const late = lateReads(storage, harness.clock);
    await sendText(harness, id, person(1), 'a1');
    await harness.clock.advance(late.byMs);
    await sendText(harness, id, person(2), 'b1');
    await harness.clock.settle();
    respond('a1');
    await harness.clock.advance(10 * SECOND);
    expect(waiting()).toEqual(['b1']);
    expect(texts(gateway.sent())).toEqual(['a1', 'b1']);
  });

  it('sends nothing for a second after it sent nothing of one message', async () => {
    const gateway = gatewayOf(4, {
      send: async ({ to }) => (to === person(0) ? { kind: 'not_sent', reason: 'no key' } : ACCEPTED),
    });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await sendText(harness, id, person(0));
    await harness.clock.settle();
    for (let to = 1; to <= 9; to += 1) await sendText(harness, id, person(to));
    await harness.clock.advance(SECOND - 1);
    expect(gateway.sent()).toHaveLength(1);
    await harness.clock.advance(1);
    expect(gateway.sent().map(({ to }) => to)).toEqual([0, 0, 1, 2, 3].map(person));
    await harness.clock.advance(SECOND);
    expect(
      gateway
        .sent()
        .slice(5)
        .map(({ to }) => to),
    ).toEqual([4, 5, 6, 7, 8, 9].map(person));
  });
});

describe('messages in flight', () => {
  /** A process that holds an instance and has this many messages in flight, to as many recipients. */
  async function inFlight(count: number) {
    const harness = await startHarness({ roles: only('api') });
    const { gateway, waiting, respond } = respondedByHand(count);
    const process = killable(harness.storage);
    const { trunkline } = await harness.another({
      roles: only('gateway'),
      gateway,
      storage: process.storage,
    });
    const id = await connectScripted(harness);
    for (const round of [1, 2])
      for (let to = 0; to < count; to += 1) await sendText(harness, id, person(to), `${to} ${round}`);
    await harness.clock.settle();
    expect(waiting()).toHaveLength(count);
    return { harness, gateway, waiting, respond, process, trunkline };
  }

  it('are sent again under their own network ids after a kill, before those behind them', async () => {
    const { harness, gateway, process } = await inFlight(16);
    process.kill();
    const next = gatewayOf(16);
    await harness.another({ roles: only('gateway'), gateway: next });
    await harness.clock.advance(2 * MINUTE);
    const ids = (messages: readonly OutgoingMessage[]) => messages.map(({ networkId }) => networkId);
    expect(ids(next.sent()).slice(0, 16).toSorted()).toEqual(ids(gateway.sent()).toSorted());
    for (let to = 0; to < 16; to += 1)
      expect(texts(next.sent().filter((message) => message.to === person(to)))).toEqual([
        `${to} 1`,
        `${to} 2`,
      ]);
    expect(new Set(ids(next.sent())).size).toBe(32);
  });

  it('are waited for by a stop, which begins no more', async () => {
    const { harness, waiting, respond, trunkline } = await inFlight(3);
    let hasStopped = false;
    const stopped = trunkline.stop().then(() => {
      hasStopped = true;
    });
    for (const to of [0, 1, 2]) {
      await harness.clock.settle();
      expect(hasStopped).toBe(false);
      respond(`${to} 1`);
    }
    await stopped;
    expect(waiting()).toEqual([]);
    const { data } = await harness.api.messages.list();
    expect(data.filter(({ status }) => status === 'sent').map(({ text }) => text)).toEqual([
      '2 1',
      '1 1',
      '0 1',
    ]);
  });

  it('are named by a stop that gives them up', async () => {
    const { harness, trunkline } = await inFlight(3);
    const stopped = trunkline.stop();
    await harness.clock.advance(MINUTE);
    await stopped;
    const lines = harness.logs.filter(({ message }) => message.includes('sends had not ended'));
    expect(lines).toMatchObject([{ facts: { count: 3, instances: [expect.any(String)] } }]);
  });

  it('report a lost lease in one line, and are followed by no more', async () => {
    const { harness, gateway, respond, process } = await inFlight(3);
    process.storage.messages.change = async () => 'fenced';
    process.storage.messages.postpone = async () => 'fenced';
    for (const to of [0, 1, 2]) respond(`${to} 1`);
    await harness.clock.settle();
    expect(gateway.sent()).toHaveLength(3);
    const lines = harness.logs.filter(
      ({ level, message }) => level === 'warn' && message.includes('sending stopped on an instance'),
    );
    expect(lines).toHaveLength(1);
  });
});

it('the sandbox sends to sixteen recipients at once', async () => {
  const harness = await startHarness();
  const id = await connectInstance(harness);
  for (let to = 0; to < 20; to += 1) await sendText(harness, id, person(to));
  await harness.clock.advance(25);
  expect(harness.sandbox.phone(id).accepted()).toHaveLength(16);
});

/** Makes the storage return what it reads of queues only after a while. */
function lateReads({ messages }: Storage, clock: ManualClock): { readonly byMs: number } {
  const byMs = 10;
  const queueHeads = messages.queueHeads.bind(messages);
  messages.queueHeads = async (...asked) => {
    const heads = await queueHeads(...asked);
    await new Promise<void>((resolve) => void clock.setTimer(byMs, resolve));
    return heads;
  };
  return { byMs };
}

async function erase({ storage, workspaceId }: Harness, id: string): Promise<void> {
  await storage.erasure.deleteMessages(workspaceId, { ids: [id], unfinished: 'deleted', limit: 10 });
}

type Step =
  | { readonly kind: 'accept'; readonly to: number }
  | { readonly kind: 'respond'; readonly which: number; readonly outcome: SendOutcome }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'erase'; readonly which: number }
  | { readonly kind: 'drop' | 'reconnect' | 'stop' | 'kill' };

const HELD: SendOutcome = { kind: 'not_sent', reason: 'busy', retryAfterMs: 3 * SECOND };
const NOT_SENT: SendOutcome = { kind: 'not_sent', reason: 'the connection closed' };
const REFUSED: SendOutcome = { kind: 'refused', error: { code: 'no', message: 'No.' } };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('accept' as const), to: fc.nat({ max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('respond' as const),
      which: fc.nat({ max: 5 }),
      outcome: fc.constantFrom(ACCEPTED, ACCEPTED, ACCEPTED, UNKNOWN, HELD, NOT_SENT, REFUSED),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 5 * SECOND }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), which: fc.nat({ max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'reconnect', 'stop', 'kill') }),
  },
);

/** A message as the model knows it. */
interface Known {
  id: string;
  readonly text: string;
  readonly to: string;
  /** Whether the messages behind it may be sent: it was taken, or refused, or erased, or given up. */
  hasLeft: boolean;
  isErased: boolean;
  unknown: number;
}

interface Flight {
  readonly gateway: ScriptedGateway;
  readonly known: Known;
  readonly beganAt: number;
  readonly end: (outcome: SendOutcome) => void;
}

/** A number whose gateway checks each send against a model of what may be sent. */
class Model {
  readonly messages: Known[] = [];
  /** The first broken promise: an error in a gateway would only be an unknown outcome. */
  broken: string | null = null;
  readonly #networkIds = new Map<string, string>();
  readonly #sendsAtOnce: number;
  readonly #harness: Harness;
  #flights: Flight[] = [];
  #process: { readonly trunkline: Harness['trunkline']; readonly kill: () => void };
  #id = '';
  #gateway: ScriptedGateway;

  static async create(sendsAtOnce: number, readsAreLate: boolean): Promise<Model> {
    const harness = await startHarness({ roles: only('api'), storage: memoryStorage() });
    if (readsAreLate) lateReads(harness.storage, harness.clock);
    const model = new Model(harness, sendsAtOnce);
    await model.#start();
    model.#id = await connectScripted(harness);
    return model;
  }

  private constructor(harness: Harness, sendsAtOnce: number) {
    this.#harness = harness;
    this.#sendsAtOnce = sendsAtOnce;
    this.#gateway = gatewayOf(sendsAtOnce);
    this.#process = { trunkline: harness.trunkline, kill: () => {} };
  }

  async #start(): Promise<void> {
    const { storage, kill } = killable(this.#harness.storage);
    const gateway = gatewayOf(this.#sendsAtOnce, {
      // A process that was killed sends nothing more, whatever it was waiting for.
      send: (message) => (gateway === this.#gateway ? this.#send(message) : silence()),
      close: async () => this.#endAll(UNKNOWN, gateway),
    });
    this.#gateway = gateway;
    const { trunkline } = await this.#harness.another({
      roles: only('gateway'),
      gateway: this.#gateway,
      storage,
    });
    this.#process = { trunkline, kill };
  }

  #send({ networkId, content, to }: OutgoingMessage): Promise<SendOutcome> {
    const text = 'text' in content ? content.text : '';
    const known = this.messages.find((one) => one.text === text);
    const earlier = this.messages.filter((one) => one.to === to);
    const waitsFor = earlier
      .slice(
        0,
        earlier.findIndex((one) => one === known),
      )
      .find((one) => !one.hasLeft);
    if (!known) this.#break(`${text} was never accepted`);
    if (waitsFor) this.#break(`${text} was sent before ${waitsFor.text}`);
    // The sender may have read a message just before it was erased.
    if (known?.hasLeft && !known.isErased) this.#break(`${text} was sent again`);
    if (this.#flights.some((flight) => flight.known.to === to)) this.#break(`${to} gets two at once`);
    if (this.#flights.length >= this.#sendsAtOnce) this.#break('too many at once');
    if ((this.#networkIds.get(text) ?? networkId) !== networkId) this.#break(`${text} has two network ids`);
    this.#networkIds.set(text, networkId);
    if (!known) return Promise.resolve(REFUSED);
    return new Promise((resolve) => {
      const flight: Flight = {
        gateway: this.#gateway,
        known,
        beganAt: this.#harness.clock.now(),
        end: (outcome) => {
          this.#flights = this.#flights.filter((one) => one !== flight);
          if (outcome.kind === 'unknown') known.unknown += 1;
          if (outcome.kind === 'accepted' || outcome.kind === 'refused' || known.unknown === 5)
            known.hasLeft = true;
          resolve(outcome);
        },
      };
      this.#flights.push(flight);
    });
  }

  #break(what: string): void {
    this.broken ??= what;
  }

  #endAll(outcome: SendOutcome = UNKNOWN, of: ScriptedGateway = this.#gateway): void {
    for (const { gateway, end } of this.#flights) if (gateway === of) end(outcome);
  }

  async act(act: Step): Promise<void> {
    const { clock, api } = this.#harness;
    switch (act.kind) {
      case 'accept': {
        const known = {
          id: '',
          text: `${this.messages.length}`,
          to: person(act.to),
          hasLeft: false,
          isErased: false,
          unknown: 0,
        };
        this.messages.push(known);
        const sent = await sendText(this.#harness, this.#id, known.to, known.text).catch(() => null);
        known.id = sent?.message.id ?? '';
        // The number may be disconnected.
        if (!sent) known.hasLeft = true;
        break;
      }
      case 'respond':
        this.#flights[act.which % Math.max(1, this.#flights.length)]?.end(act.outcome);
        break;
      case 'wait':
        // The sender gives up a send that lasts a minute.
        for (const { beganAt, end } of this.#flights) if (clock.now() - beganAt > 50 * SECOND) end(ACCEPTED);
        await clock.advance(act.ms);
        break;
      case 'erase': {
        const known = this.messages[act.which % Math.max(1, this.messages.length)];
        if (!known || known.id === '') return;
        await erase(this.#harness, known.id);
        known.hasLeft = true;
        known.isErased = true;
        break;
      }
      case 'drop':
        await this.#gateway.connections
          .at(-1)
          ?.listener.closed({ kind: 'dropped', detail: 'connection_lost' });
        this.#endAll();
        break;
      case 'reconnect':
        await Promise.race([api.instances.disconnect(this.#id).catch(() => {}), clock.settle()]);
        await api.instances.connect(this.#id).catch(() => {});
        break;
      case 'stop': {
        const stopped = this.#process.trunkline.stop();
        this.#endAll();
        await clock.advance(SECOND);
        await stopped;
        await this.#start();
        break;
      }
      case 'kill':
        this.#process.kill();
        this.#flights = [];
        await this.#start();
        await clock.advance(40 * SECOND);
        break;
    }
    await clock.settle();
  }

  /** Lets the network take everything that is left. */
  async finish(): Promise<void> {
    await this.#harness.api.instances.connect(this.#id).catch(() => {});
    for (let count = 0; count < 400 && this.messages.some(({ hasLeft }) => !hasLeft); count += 1) {
      this.#endAll(ACCEPTED);
      await this.#harness.clock.advance(5 * SECOND);
    }
  }

  async statuses(): Promise<ReadonlySet<string>> {
    const { data } = await this.#harness.api.messages.list({ limit: 100 });
    return new Set(data.map(({ status }) => status));
  }
}

it(
  'each chat keeps its order with one message in flight, whatever happens, and everything is sent',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, 3, 16),
        fc.boolean(),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        async (sendsAtOnce, readsAreLate, steps) => {
          const model = await Model.create(sendsAtOnce, readsAreLate);
          for (const one of steps) await model.act(one);
          await model.finish();
          expect(model.broken).toBeNull();
          expect(model.messages.filter(({ hasLeft }) => !hasLeft)).toEqual([]);
          expect([...(await model.statuses())].filter((status) => status === 'queued')).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  },
);
