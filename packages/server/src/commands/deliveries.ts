import type {
  DeliveryDetailResource,
  DeliveryPage,
  DeliveryQuery,
  DeliveryResource,
  TrunklineClient,
} from '@trunkline/http/client';
import { printable, printableJson } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError } from '../errors/command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { pause } from './pause.ts';
import type { RowsAskedFor } from './pages.ts';
import { objectCommand, pagesCommand } from './plain-commands.ts';
import { accepted, remoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { delivery, deliveryDetail, one as reply, page as pageShape, retried } from './service-shapes.ts';
import { statusText } from '../terminal/status-text.ts';
import { joinTexts } from '../terminal/styled-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts, rowText } from '../terminal/table.ts';
import type { Columns } from '../terminal/table.ts';

const PER_PAGE = 100;
const LOOK_EVERY_MS = 1_000;
/** The maximum number of requests to a service that always has more to retry. */
const MOST_BATCHES = 2_000;

const COLUMNS: Columns<DeliveryResource> = {
  id: (one) => one.id,
  at: (one) => one.created_at,
  event: (one) => one.event.type,
  status: (one) => statusText(one.status),
  attempts: attemptCount,
  response: (one) => one.response_status ?? one.error_code,
};

export const listDeliveries: CommandHandler = pagesCommand({
  shape: delivery,
  page: requestPage,
  columns: COLUMNS,
});

/** Prints each of the newest 100 deliveries when it is created or changes, until the command is interrupted. */
export const tailDeliveries: CommandHandler = async (call) => {
  const { output, signal } = call;
  const service = await remoteService(call);
  const known = new Map<string, string>();
  for (const one of (await readPage(call, service, { limit: PER_PAGE })).data)
    known.set(one.id, stateOf(one));
  output.note('Waiting for deliveries; Ctrl-C ends it.');
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const { data } = await readPage(call, service, { limit: PER_PAGE });
    for (const one of data.toReversed()) {
      if (known.get(one.id) === stateOf(one)) continue;
      known.set(one.id, stateOf(one));
      output.result({ data: one }, rowText(COLUMNS, one));
    }
    // A delivery that has left the newest page does not return to it.
    const present = new Set(data.map(({ id }) => id));
    for (const id of known.keys()) if (!present.has(id)) known.delete(id);
  }
};

export const showDelivery: CommandHandler = objectCommand({
  of: 'delivery',
  shape: deliveryDetail,
  request: ({ deliveries }, id, call) => deliveries.get(id, call),
  describe: detailText,
});

function detailText(data: DeliveryDetailResource): Text {
  const attempts = data.attempt_log.map(
    (one) =>
      printable(
        `  ${one.at}  attempt ${one.attempt}${one.manual ? ' (by hand)' : ''}: ${one.response_status ?? one.error_code ?? '–'} in ${one.duration_ms} ms`,
      ) +
      (one.response_body === null || one.response_body === '' ? '' : `\n    ${printable(one.response_body)}`),
  );
  return joinTexts(
    [
      facts({
        delivery: data.id,
        webhook: data.webhook_id,
        event: `${data.event.type} ${data.event.id}`,
        status: statusText(data.status),
        attempts: attemptsOf(data),
        'next attempt': data.next_retry_at,
        waits: data.waiting
          ? `${data.waiting.reason}${data.waiting.until === null ? '' : ` until ${data.waiting.until}`}`
          : null,
        url: data.request.url,
      }),
      ...(attempts.length > 0 ? ['', ...attempts] : []),
      '',
      printableJson(data.request.payload ?? null),
    ],
    '\n',
  );
}

export const retryDelivery: CommandHandler = objectCommand({
  of: 'delivery',
  shape: delivery,
  request: ({ deliveries }, id, call) => deliveries.retry(id, call),
  describe: (data) => rowText(COLUMNS, data),
});

export const tryDeliveryNow: CommandHandler = objectCommand({
  of: 'delivery',
  shape: delivery,
  request: ({ deliveries }, id, call) => deliveries.tryNow(id, call),
  describe: (data) => rowText(COLUMNS, data),
});

/**
 * Retries in batches, sized by the service, until no failed delivery is left or a batch queues none. After an
 * interruption, the same command retries the rest.
 */
export const retryFailedDeliveries: CommandHandler = async (call) => {
  const { output } = call;
  const id = call.argument('webhook');
  const service = await remoteService(call);
  await requireConfirmation(
    call,
    `Every failed delivery of ${printable(id)} of the last 30 days will be sent again.`,
  );
  let requeued = 0;
  for (let batches = 1, isOver = false; !isOver; batches++) {
    const { data } = await accepted(
      service,
      service.client.webhooks.retryFailedDeliveries(id, call),
      reply(retried),
    );
    requeued += data.requeued;
    output.progress(`${requeued} queued again, ${data.remaining} left`);
    isOver = data.remaining === 0 || data.requeued === 0;
    if (!isOver && batches === MOST_BATCHES)
      throw new CommandError(
        `${requeued} deliveries are queued again, and the service still has some: run the command again.`,
      );
  }
  output.result(
    { data: { webhook: id, requeued } },
    `${requeued === 1 ? '1 delivery is' : `${requeued} deliveries are`} queued again.`,
  );
  if (!output.isJson && (await hasRetrying(call, service)))
    output.say(
      `\nOthers have attempts left, and are sent again by themselves: trunkline deliveries list ${printable(id)} --status retrying`,
    );
};

/** Whether any delivery still has attempts left. False if the read fails, because the command itself has succeeded. */
async function hasRetrying(call: Call, service: RemoteService): Promise<boolean> {
  return readPage(call, service, { limit: 1, status: 'retrying' }).then(
    ({ data }) => data.length > 0,
    () => false,
  );
}

type DeliveriesAskedFor = RowsAskedFor & Pick<DeliveryQuery, 'cursor' | 'status'>;

function requestPage(
  { webhooks }: TrunklineClient,
  page: DeliveriesAskedFor,
  call: Call,
): ReturnType<TrunklineClient['webhooks']['deliveries']> {
  const { options } = call;
  // The cast is safe because the service validates the filters.
  const query = { event: options.text('event'), status: options.text('status'), ...page } as DeliveryQuery;
  return webhooks.deliveries(call.argument('webhook'), query, call);
}

async function readPage(call: Call, service: RemoteService, page: DeliveriesAskedFor): Promise<DeliveryPage> {
  return accepted(service, requestPage(service.client, page, call), pageShape(delivery));
}

/** `attempts` includes those made by hand. */
function attemptsOf({ attempts, max_attempts: most, attempt_log: log }: DeliveryDetailResource): string {
  const byHand = log.filter(({ manual }) => manual).length;
  return byHand === 0
    ? `${attempts} of ${most}`
    : `${attempts}: ${attempts - byHand} of ${most} by the schedule, and ${byHand} by hand`;
}

/** The number of attempts, for a column. More than the schedule's maximum means that some were made by hand. */
function attemptCount({ attempts, max_attempts: most }: DeliveryResource): string {
  return attempts > most ? `${attempts} (by hand)` : `${attempts}/${most}`;
}

function stateOf({ status, attempts }: DeliveryResource): string {
  return `${status} ${attempts}`;
}
