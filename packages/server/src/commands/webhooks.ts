import type { DeliveryResource, WebhookChanges, WebhookInput, WebhookResource } from '@trunkline/http/client';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { usageError } from '../errors/command-error.ts';
import { pause } from './pause.ts';
import { deleteCommand, listCommand, objectCommand } from './plain-commands.ts';
import { accepted, remoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import {
  delivery,
  deliveryDetail,
  one as reply,
  theOne,
  webhook,
  webhookWithSecret,
} from './service-shapes.ts';
import { statusText } from '../terminal/status-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts } from '../terminal/table.ts';
import { yesOrNo, yesOrNoIn } from './yes-or-no.ts';

export const listWebhooks: CommandHandler = listCommand({
  shape: webhook,
  list: ({ webhooks }, call) => webhooks.list(call),
  columns: {
    id: (one) => one.id,
    status: (one) => statusText(one.status),
    url: { freeText: (one) => one.url },
    'last delivery': (one) => one.last_delivery && statusText(one.last_delivery.status),
    'failing since': (one) => one.failing_since,
  },
});

export const createWebhook: CommandHandler = async (call) => {
  const { options, output } = call;
  const events = options.list('events');
  if (events === undefined)
    throw usageError('Name the events with --events, as in --events message.sent,message.received.');
  const service = await remoteService(call);
  // The cast is safe because the service validates the events.
  const input = {
    url: call.argument('url'),
    events,
    instances: chosenIn(options),
    description: options.text('description'),
    trace_context: yesOrNoIn(options, 'trace-context'),
  } as WebhookInput;
  const { data } = await accepted(
    service,
    service.client.webhooks.create(input, call),
    reply(webhookWithSecret),
  );
  output.result({ data }, described(data, data.secret));
  output.note('The secret is shown only this once: give it to the receiver.');
};

export const showWebhook: CommandHandler = objectCommand({
  of: 'webhook',
  shape: webhook,
  request: ({ webhooks }, id, call) => webhooks.get(id, call),
  describe: described,
});

export const updateWebhook: CommandHandler = async (call) => {
  const { options } = call;
  const [url, events, description, status] = [
    options.text('url-to'),
    options.list('events'),
    options.text('description'),
    options.text('status'),
  ];
  const instances = chosenIn(options);
  const traceContext = yesOrNoIn(options, 'trace-context');
  // The cast is safe because the service validates the values.
  const changes = {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(instances !== undefined && { instances }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(status !== undefined && { status }),
    ...(traceContext !== undefined && { trace_context: traceContext }),
  } as WebhookChanges;
  const service = await remoteService(call);
  const id = call.argument('webhook');
  const { data } = await accepted(
    service,
    service.client.webhooks.update(id, changes, call),
    theOne(webhook, id),
  );
  call.output.result({ data }, described(data));
};

/** The value of `--instances`: null for `all`, undefined if it is not given. */
function chosenIn(options: Call['options']): readonly string[] | null | undefined {
  return options.text('instances') === 'all' ? null : options.list('instances');
}

export const deleteWebhook: CommandHandler = deleteCommand({
  of: 'webhook',
  asks: (id) => `The webhook ${id} will be deleted, and what it has not received will be cancelled.`,
  request: ({ webhooks }, id, options) => webhooks.delete(id, options),
});

export const rotateWebhookSecret: CommandHandler = objectCommand({
  of: 'webhook',
  shape: webhookWithSecret,
  asks: (id, { options }) =>
    options.text('after') === undefined
      ? `The secret of ${id} will stop working immediately, and a new one will be shown.`
      : `A new secret of ${id} will be shown, which begins to sign later.`,
  // The service knows the longest time.
  request: ({ webhooks }, id, call) => {
    const after = call.options.whole('after', { min: 0, max: 1_000_000_000 });
    return webhooks.rotateSecret(id, { after_seconds: after }, call);
  },
  describe: (data) => described(data, data.secret),
});

/** Sends a test event, and waits for its first delivery attempt. */
export const testWebhook: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const { data: sent } = await accepted(
    service,
    service.client.webhooks.test(call.argument('webhook'), call),
    reply(delivery),
  );
  const data = await attempted(call, service, sent);
  const response = data.response_status ?? data.error_code;
  call.output.result({ data }, [
    `${data.id} `,
    statusText(data.status, printable(data.status)),
    response === null ? '' : `: ${printable(String(response))}`,
  ]);
  if (data.status !== 'success') call.output.say(`\nNext: trunkline deliveries show ${data.id}`);
};

/**
 * Returns the delivery after its first attempt; unchanged if the key may not read deliveries or no attempt is made in
 * time.
 */
async function attempted(
  call: Call,
  service: RemoteService,
  sent: DeliveryResource,
): Promise<DeliveryResource> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const looked = await service.client.deliveries.get(sent.id, call);
    if (!looked.ok && (looked.error.status === 401 || looked.error.status === 403)) return sent;
    const { data } = await accepted(service, Promise.resolve(looked), theOne(deliveryDetail, sent.id));
    if (data.status !== 'pending') return data;
    await pause(LOOK_EVERY_MS, call.signal);
  }
  return sent;
}

/** 15 seconds in all, because an attempt takes at most 10. */
const MOST_LOOKS = 60;
const LOOK_EVERY_MS = 250;

function described(data: WebhookResource, secret?: string): Text {
  const last = data.last_delivery;
  return facts({
    webhook: data.id,
    url: data.url,
    status: statusText(
      data.status,
      data.disabled_reason === null ? data.status : `${data.status} (${data.disabled_reason})`,
    ),
    events: data.events.join(','),
    instances: data.instances?.join(',') ?? 'all',
    description: data.description,
    'trace context': yesOrNo(data.trace_context),
    [secret === undefined ? 'secret ends in' : 'secret']: secret ?? data.secret_hint,
    'secret signs from': data.secret_begins_at,
    'failing since': data.failing_since,
    'disabled at the earliest': data.auto_disable_at,
    'last delivery': last && `${last.id} ${last.status} ${last.at}`,
  });
}
