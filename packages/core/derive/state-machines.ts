import {
  cancelledBy,
  endedWithoutEvent,
  mayRetry,
  requeue,
  completeAttempt,
} from '../src/domain/delivery/delivery-state.ts';
import type { AttemptOutcome } from '../src/domain/delivery/delivery-state.ts';
import { isOpen } from '../src/domain/delivery/delivery.ts';
import type { Delivery, DeliveryStatus } from '../src/domain/delivery/delivery.ts';
import { MAX_ATTEMPTS } from '../src/domain/delivery/retry-schedule.ts';
import { disable, enable } from '../src/domain/endpoint/endpoint-state.ts';
import type { Endpoint, EndpointStatus } from '../src/domain/endpoint/endpoint.ts';
import { evaluateFailing } from '../src/domain/endpoint/failing-policy.ts';
import { transition } from '../src/domain/instance/instance-state.ts';
import type { Instance, InstanceStatus } from '../src/domain/instance/instance.ts';
import { advance } from '../src/domain/message/message-state.ts';
import type { MessageTrigger } from '../src/domain/message/message-state.ts';
import type { Message, MessageStatus } from '../src/domain/message/message.ts';
import { SEND_OUTCOME_UNKNOWN } from '../src/domain/message/send-retry.ts';
import { exampleDelivery, exampleEndpoint, exampleMessage, NOW } from '../test/support/examples.ts';
import { LATER, STATES, TRIGGERS } from '../test/support/instance-states.ts';
import { diagram } from './diagram.ts';
import type { Machine, Step, Variant } from './diagram.ts';

/** The page docs/state-machines.md: what the state machines do, tried out from each of their states. */
export function stateMachinesPage(): string {
  return `# State machines

The states of instances, messages, webhook deliveries and endpoints, for people who change the code.
\`npx --yes pnpm@12 diagrams\` generates this page: from every state, it asks the code where each trigger leads. Do not edit
the page.

An arrow's label says what happens and, after the slash, which event is emitted. If the arrow does not apply to all states
with that status, the brackets say to which ones. A trigger that does not change the status has no arrow.

## Instance

\`packages/core/src/domain/instance/instance-state.ts\`. *disconnect* and *logout* are operations: their arrows stand for
the moment at which the gateway has carried them out. A delete ends the instance in every state.

${diagram(INSTANCE)}

## Outbound message

\`packages/core/src/domain/message/message-state.ts\`. If the network skips a receipt, the one that implies
it counts for both. An inbound message has one status, \`received\`.

${diagram(MESSAGE)}

## Webhook delivery

\`packages/core/src/domain/delivery/delivery-state.ts\`. No event is emitted about a delivery.

${diagram(DELIVERY)}

## Webhook endpoint

\`packages/core/src/domain/endpoint/endpoint-state.ts\` and \`failing-policy.ts\` next to it.

${diagram(ENDPOINT)}
`;
}

const INSTANCE_TRIGGERS = {
  connect: 'connect',
  disconnect: 'disconnect',
  logout: 'logout',
  qr: 'a QR is shown',
  qr_timeout: 'nobody scans it',
  connected: 'the connection opens',
  dropped: 'the connection drops',
  grace_over: '30 s without a connection',
  unlinked: 'unlinked on the phone',
  failed: 'it cannot continue',
  restriction_over: 'its restriction ends',
} satisfies Partial<Record<keyof typeof TRIGGERS, string>>;

const INSTANCE: Machine<InstanceStatus, Instance> = {
  start: 'created',
  variants: Object.entries(STATES).map(([name, state]) => ({
    status: state.status,
    name: name.slice(state.status.length).replace(/^, /, '').trim(),
    state,
  })),
  stepsFrom: (instance) =>
    Object.entries(INSTANCE_TRIGGERS).map(([name, trigger]) => {
      const kind = name as keyof typeof INSTANCE_TRIGGERS; // keys of a literal
      return { from: instance.status, trigger, ...carriedOut(instance, kind) };
    }),
};

/** A request of an operation, and the gateway's report that it is done; of other triggers, what they lead to. */
function carriedOut(
  instance: Instance,
  kind: keyof typeof INSTANCE_TRIGGERS,
): Pick<Step<InstanceStatus>, 'to' | 'event'> {
  const result = transition(instance, TRIGGERS[kind], LATER);
  if (result.kind !== 'changed') return { to: instance.status, event: null };
  const done = result.instance.operation && transition(result.instance, TRIGGERS.operation_done, LATER);
  const last = done?.kind === 'changed' ? done : result;
  return { to: last.instance.status, event: last.event };
}

const MESSAGE_TRIGGERS: Readonly<Record<string, MessageTrigger>> = {
  'the network has it': { kind: 'sent' },
  'delivery receipt': { kind: 'delivered' },
  'read receipt': { kind: 'read' },
  'it cannot be sent': { kind: 'failed', error: { code: 'refused', message: 'The network refused it.' } },
};

const MESSAGE: Machine<MessageStatus, Message> = {
  start: 'queued',
  variants: [
    ...(['queued', 'sent', 'delivered', 'read'] as const).map((status) => ({
      status,
      name: '',
      state: exampleMessage({ status }),
    })),
    {
      status: 'failed',
      name: 'refused',
      state: exampleMessage({ status: 'failed', error: { code: 'refused', message: '' } }),
    },
    {
      status: 'failed',
      name: 'outcome unknown',
      state: exampleMessage({ status: 'failed', error: SEND_OUTCOME_UNKNOWN }),
    },
  ],
  stepsFrom: (message) =>
    Object.entries(MESSAGE_TRIGGERS).flatMap(([trigger, what]) => {
      const taken = advance(message, what, LATER);
      return taken.map(({ message: { status: to }, event }, index) => {
        const from = taken[index - 1]?.message.status ?? message.status;
        return { from, to, trigger, event };
      });
    }),
};

const DELIVERY_TRIGGERS: Readonly<Record<string, (delivery: Delivery) => Delivery>> = {
  'attempt succeeds': whileOpen(attempt({ responseStatus: 204, errorCode: null })),
  'attempt fails': whileOpen(attempt({ responseStatus: 500, errorCode: 'HTTP_ERROR' })),
  'unsafe URL': whileOpen(attempt({ responseStatus: null, errorCode: 'UNSAFE_URL' })),
  'endpoint disabled': whileOpen((delivery) => cancelledBy('ENDPOINT_DISABLED', delivery)),
  'endpoint deleted': whileOpen((delivery) => cancelledBy('ENDPOINT_DELETED', delivery)),
  'event is not stored': whileOpen((delivery) => endedWithoutEvent(delivery, LATER)),
  'retry by hand': (delivery) => (mayRetry(delivery) ? requeue(delivery) : delivery),
};

function attempt(outcome: Pick<AttemptOutcome, 'responseStatus' | 'errorCode'>) {
  return (delivery: Delivery): Delivery =>
    completeAttempt(delivery, { startedAt: NOW, endedAt: LATER, ...outcome });
}

function whileOpen(change: (delivery: Delivery) => Delivery): (delivery: Delivery) => Delivery {
  return (delivery) => (isOpen(delivery.status) ? change(delivery) : delivery);
}

const DELIVERY: Machine<DeliveryStatus, Delivery> = {
  start: 'pending',
  variants: [
    aDelivery('pending', 'first attempt', { attempts: 0 }),
    aDelivery('pending', 'by hand, with attempts left', { attempts: 1, manual: true }),
    aDelivery('pending', 'by hand, with none left', { attempts: MAX_ATTEMPTS, manual: true }),
    aDelivery('retrying', 'with attempts left', { attempts: 1 }),
    aDelivery('retrying', 'at the last attempt', { attempts: MAX_ATTEMPTS - 1 }),
    ...(['success', 'failed', 'exhausted'] as const).map((status) => aDelivery(status, '', {})),
  ],
  stepsFrom: (delivery) =>
    Object.entries(DELIVERY_TRIGGERS).map(([trigger, change]) => ({
      from: delivery.status,
      to: change(delivery).status,
      trigger,
      event: null,
    })),
};

function aDelivery(
  status: DeliveryStatus,
  name: string,
  changes: Partial<Delivery>,
): Variant<DeliveryStatus, Delivery> {
  return { status, name, state: exampleDelivery({ status, ...changes }) };
}

const DAY = 24 * 60 * 60 * 1000;

const ENDPOINT_TRIGGERS: Readonly<Record<string, (endpoint: Endpoint) => Endpoint>> = {
  'PATCH disables it': (endpoint) => disable(endpoint, 'manual', NOW),
  'PATCH enables it': (endpoint) => enable(endpoint, NOW),
  'the monitor looks': (endpoint) =>
    evaluateFailing(endpoint, NOW) === 'disable' ? disable(endpoint, 'auto_no_delivery_72h', NOW) : endpoint,
};

const ENDPOINT: Machine<EndpointStatus, Endpoint> = {
  start: 'enabled',
  variants: [
    { status: 'enabled', name: 'healthy', state: exampleEndpoint() },
    {
      status: 'enabled',
      name: 'failing for 72 h, warned 24 h ago',
      state: exampleEndpoint({
        health: {
          ...exampleEndpoint().health,
          failingSince: NOW - 3 * DAY,
          exhausted: true,
          warnedAt: NOW - DAY,
        },
      }),
    },
    { status: 'disabled', name: '', state: exampleEndpoint({ status: 'disabled' }) },
  ],
  stepsFrom: (endpoint) =>
    Object.entries(ENDPOINT_TRIGGERS).map(([trigger, change]) => ({
      from: endpoint.status,
      to: change(endpoint).status,
      trigger,
      event: null,
    })),
};
