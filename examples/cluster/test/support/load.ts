import { setTimeout } from 'node:timers/promises';
import { elapsing } from '@trunkline/test-support';
import * as z from 'zod';
import { networkPhone } from '../../src/network-phone.ts';
import type { Choices } from './choices.ts';
import { API_KEY } from './test-cluster.ts';
import type { TestCluster } from './test-cluster.ts';

/** How long a client waits for a response before it repeats the request. */
const RESPONSE_WITHIN_MS = elapsing(4_000);
const ASK_AGAIN_MS = 300;

interface Accepted {
  readonly messageId: string;
  readonly instance: string;
  readonly text: string;
  readonly to: string;
  /** When it was accepted, in epoch milliseconds. */
  readonly at: number;
}

export interface Load {
  readonly accepted: readonly Accepted[];
  /** The texts of the messages from phones that the network accepted. */
  readonly inbound: readonly string[];
  /** Responses that no client should get. */
  readonly complaints: readonly string[];
  send(message: Omit<Accepted, 'messageId' | 'at'>, choose: Choices): Promise<string>;
  stop(): Promise<void>;
}

interface LoadOptions {
  readonly instances: readonly string[];
  /** The pause between two messages of a sender, outside of bursts. */
  readonly pauseMs: readonly [number, number];
  readonly senders: number;
}

const message = z.object({ data: z.object({ id: z.string() }) });

/** How many messages a client sends without a pause, so that they wait in the queues of the instances. */
const QUEUE = 10;
const QUEUE_CHANCE = 0.1;

/**
 * The number of messages in a burst from phones, more than an endpoint may get within a minute. One burst comes at the
 * start, others at random.
 */
const BURST = 130;
const BURST_CHANCE = 0.01;

/** The outcomes of messages, by the last digits of the recipient (docs/sandbox.md). */
const RECIPIENTS = ['15550100', '15550100', '15550100', '15550001', '15550002', '15550003'] as const;

/**
 * Starts clients, which send through all API processes and repeat each request with the same key until they get a
 * response, and phones that send messages.
 */
export function startLoad(cluster: TestCluster, options: LoadOptions, random: Choices): Load {
  const accepted: Accepted[] = [];
  const inbound: string[] = [];
  const complaints: string[] = [];
  let isStopped = false;

  const send: Load['send'] = async ({ instance, to, text }, choose) => {
    for (;;) {
      const reply = await post(choose, { instance, to, type: 'text', text });
      if (reply?.status === 202 || reply?.status === 200) {
        const messageId = message.parse(reply.body).data.id;
        accepted.push({ messageId, instance, text, to, at: Date.now() });
        return messageId;
      }
      // Only final refusals are complaints. The request is repeated after a 409, if no response comes in time, and while
      // the server is starting or has no database.
      if (reply && reply.status < 500 && reply.status !== 409) {
        const complaint = `${reply.status} ${JSON.stringify(reply.body)}`;
        complaints.push(complaint);
        throw new Error(`${text} got ${complaint}`);
      }
      await setTimeout(ASK_AGAIN_MS);
    }
  };

  const post = async (
    choose: Choices,
    body: { readonly text: string } & Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: unknown } | null> => {
    const url = choose.of(cluster.apiUrls());
    try {
      const response = await fetch(`${url}/api/v1/messages`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${API_KEY}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': body.text,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  };

  const sender = async (number: number): Promise<void> => {
    const choose = random.apart(number);
    let left = QUEUE;
    for (let count = 1; !isStopped; count += 1) {
      const text = `sender-${number}-message-${count}`;
      const to = choose.of(RECIPIENTS);
      // A refused message is already in `complaints`.
      await send({ instance: choose.of(options.instances), to, text }, choose).catch(() => undefined);
      left -= 1;
      if (left > 0) continue;
      await setTimeout(choose.between(...options.pauseMs));
      if (choose.chance(QUEUE_CHANCE)) left = QUEUE;
    }
  };

  const writer = async (): Promise<void> => {
    const choose = random.apart(99);
    let left = BURST;
    for (let count = 1; !isStopped; count += 1) {
      const instance = choose.of(options.instances);
      const text = `inbound-${count}`;
      try {
        await networkPhone(cluster.network.url, instance).receive({ from: '15550123', text });
        inbound.push(text);
      } catch {
        // The instance is not connected, so it cannot receive.
      }
      left -= 1;
      if (left > 0) continue;
      await setTimeout(choose.between(...options.pauseMs));
      if (choose.chance(BURST_CHANCE)) left = BURST;
    }
  };

  const running = [...Array.from({ length: options.senders }, (_, index) => sender(index + 1)), writer()];
  return {
    accepted,
    inbound,
    complaints,
    send,
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
