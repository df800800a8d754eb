import type { DeliveryDetailResource, MessageResource } from '@trunkline/http/client';
import type { MessageStandingResource } from '@trunkline/core';
import type { WebhookEvent } from '@trunkline/receiver';
import type { Call } from './command.ts';
import { CommandError } from '../errors/command-error.ts';
import { timeOf } from '../terminal/event-line.ts';
import { readRows } from './pages.ts';
import { accepted } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import {
  delivery,
  deliveryDetail,
  event as eventShape,
  list,
  one as reply,
  page as pageOf,
  standing as standingShape,
  theOne,
} from './service-shapes.ts';
import { statusText } from '../terminal/status-text.ts';
import { joinTexts } from '../terminal/styled-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { printableCells } from '../terminal/table.ts';
import type { Cell } from '../terminal/table.ts';

/** No message has more events. */
const MOST_EVENTS = 100;
/** No event has more deliveries, because a workspace has fewer endpoints. */
const MOST_DELIVERIES = 1_000;

export interface MessageStory {
  readonly standing: MessageStandingResource;
  /** Oldest first. `deliveries` is null if the key may not read them. */
  readonly events: readonly {
    readonly event: WebhookEvent;
    readonly deliveries: readonly DeliveryDetailResource[] | null;
  }[];
}

export async function readStory(
  call: Call,
  service: RemoteService,
  { id }: MessageResource,
): Promise<MessageStory> {
  const { messages } = service.client;
  const { data: standing } = await accepted(service, messages.standing(id, call), reply(standingShape));
  const newestFirst = await readRows({ limit: MOST_EVENTS }, (page) =>
    accepted(service, messages.events(id, page, call), pageOf(eventShape)),
  );
  const events = [];
  for (const event of newestFirst.toReversed())
    events.push({ event, deliveries: await deliveriesOf(call, service, event.id) });
  return { standing, events };
}

/** Formats the status as a sentence, then each event with its deliveries and their attempts. */
export function storyText({ standing, events }: MessageStory): Text {
  const lines = events.flatMap(({ event, deliveries }): readonly (readonly Cell[])[] => [
    [`${timeOf(event)}  ${event.type}  ${event.id}`],
    ...(deliveries === null ? [['  its deliveries need a key with webhooks:read']] : []),
    ...(deliveries?.flatMap(linesOf) ?? []),
  ]);
  return joinTexts(
    [[standing.sentence], ...(lines.length > 0 ? [[''], ...lines] : [])].map(printableCells),
    '\n',
  );
}

function linesOf(delivery: DeliveryDetailResource): readonly (readonly Cell[])[] {
  const next = delivery.next_retry_at === null ? '' : `, next attempt at ${delivery.next_retry_at}`;
  return [
    [`  ${delivery.id}  `, statusText(delivery.status), `  ${delivery.request.url}${next}`],
    ...delivery.attempt_log.map((one) => [
      `    ${one.at}  attempt ${one.attempt}${one.manual ? ' (by hand)' : ''}: ${one.response_status ?? one.error_code ?? '–'}`,
    ]),
  ];
}

async function deliveriesOf(
  call: Call,
  service: RemoteService,
  event: string,
): Promise<readonly DeliveryDetailResource[] | null> {
  const { events, deliveries } = service.client;
  try {
    const { data } = await accepted(service, events.deliveries(event, call), list(delivery));
    const details = [];
    if (data.length > MOST_DELIVERIES)
      throw new CommandError(
        `The event ${event} has ${data.length} deliveries, too many to show here: "trunkline deliveries list" lists them.`,
      );
    for (const { id } of data)
      details.push((await accepted(service, deliveries.get(id, call), theOne(deliveryDetail, id))).data);
    return details;
  } catch (error) {
    if (error instanceof CommandError && error.code === 'INSUFFICIENT_SCOPE') return null;
    throw error;
  }
}
