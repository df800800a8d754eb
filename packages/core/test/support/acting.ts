import type { IncomingMessage, SendOutcome } from '../../src/spi/gateway.ts';
import { connected, HOUR, MINUTE, receivedEvents, SECOND, sendText } from './harness.ts';
import type { Harness } from './harness.ts';
import { memoryStorage } from './memory-storage.ts';
import { scriptedGateway } from './scripted-gateway.ts';
import type { Script, ScriptedGateway } from './scripted-gateway.ts';

/** A person who writes to the instance. */
export const ADA = '34600000009';
/** The events of actions. */
const EVENTS = ['message.reaction', 'message.edited', 'message.deleted', 'message.action_failed'] as const;
export const NOT_NOW: SendOutcome = { kind: 'not_sent', reason: 'busy', retryAfterMs: MINUTE };

/** A service with one instance whose network has every action. */
export interface Acting {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  /** The instance. */
  readonly id: string;
  readonly messages: Harness['api']['messages'];
  /** Receives a message, by default from Ada, and returns its id. */
  received(message?: Partial<IncomingMessage>): Promise<string>;
  /** The types and data of the events of actions. */
  events(): readonly object[];
}

export async function acting(script: Partial<Script> = {}, storage = memoryStorage()): Promise<Acting> {
  const gateway = {
    ...scriptedGateway(script),
    capabilities: ['text', 'image', 'groups', 'reactions', 'edits', 'deletions', 'read_marks'],
    actionsWithinMs: { edits: 15 * MINUTE, deletions: HOUR },
  } as const;
  const { harness, id } = await connected({ gateway, storage });
  await harness.api.webhooks.create({ url: 'https://hooks.example.com/', events: EVENTS });
  return {
    harness,
    gateway,
    id,
    messages: harness.api.messages,
    async received(message = {}) {
      await gateway.last().listener.message({
        networkId: 'IN1',
        senderId: 'ada@net',
        from: ADA,
        groupNetworkId: null,
        content: { type: 'text', text: 'Can you come?' },
        ...message,
      });
      return (await harness.api.messages.list({ direction: 'inbound' })).data[0]?.id ?? '';
    },
    events: () =>
      receivedEvents(harness).flatMap(({ type, data }) =>
        EVENTS.some((one) => one === type) ? [{ type, ...data }] : [],
      ),
  };
}

/** Outcomes in turn; the last one repeats. */
export function inTurn(...outcomes: readonly SendOutcome[]): () => Promise<SendOutcome> {
  let calls = 0;
  return async () => outcomes[Math.min(calls++, outcomes.length - 1)] ?? { kind: 'accepted' };
}

/** Ada, as the network reports her. */
export const ADAS = {
  networkId: 'ada@net',
  aliases: [],
  phoneNumber: ADA,
  name: null,
  username: null,
} as const;

/** Sends a text to Ada, and returns its id. */
export async function sentToAda({ harness, id }: Acting): Promise<string> {
  const { message } = await sendText(harness, id, ADA, 'Helo');
  await harness.clock.advance(SECOND);
  return message.id;
}
