import type { InstanceHistoryResource, InstanceResource } from '@trunkline/http/client';
import { printable } from '../printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { usageError } from './command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { followHistory } from './history-follow.ts';
import { readRows, rowsAskedFor } from './pages.ts';
import { accepted, remoteService } from './remote-service.ts';
import {
  anyObject,
  group,
  historyEntry,
  instance,
  list,
  one as reply,
  page as pageOf,
  theOne,
} from './service-shapes.ts';
import { instanceStatusText, statusText } from './status-text.ts';
import { facts, table } from './table.ts';
import type { Cell } from './table.ts';

export const listInstances: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const { data } = await accepted(service, service.client.instances.list(call), list(instance));
  call.output.result(
    { data },
    table(
      call.output,
      ['id', { freeText: 'name' }, 'status', 'number', 'since'],
      data.map((one) => [
        one.id,
        one.name,
        instanceStatusText(one),
        one.phone_number ?? '–',
        one.status_changed_at ?? '–',
      ]),
    ),
  );
};

export const createInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const name = call.options.text('name');
  const { data } = await accepted(service, service.client.instances.create({ name }, call), reply(instance));
  printInstance(call, data);
  call.output.say(`\nNext: trunkline connect ${data.id}`);
};

export const showInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('instance');
  const { data } = await accepted(service, service.client.instances.get(id, call), theOne(instance, id));
  printInstance(call, data);
};

export const renameInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('instance');
  const input = { name: call.argument('name') };
  const { data } = await accepted(
    service,
    service.client.instances.update(id, input, call),
    theOne(instance, id),
  );
  printInstance(call, data);
};

export const disconnectInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('instance');
  const { data } = await accepted(
    service,
    service.client.instances.disconnect(id, call),
    theOne(instance, id),
  );
  printInstance(call, data);
};

export const logOutInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('instance');
  await requireConfirmation(
    call,
    `The phone of ${printable(id)} will be unlinked; to use it again, somebody has to scan a QR.`,
  );
  const { data } = await accepted(service, service.client.instances.logout(id, call), theOne(instance, id));
  printInstance(call, data);
};

export const deleteInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('instance');
  await requireConfirmation(
    call,
    `The instance ${printable(id)} will be deleted, with its session and the files of its messages.`,
  );
  await accepted(service, service.client.instances.delete(id, call), anyObject);
  call.output.result({ data: { id, deleted: true } }, `The instance ${printable(id)} is deleted.`);
};

export const listGroups: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const { data } = await accepted(
    service,
    service.client.instances.groups(call.argument('instance'), call),
    list(group),
  );
  call.output.result(
    { data },
    table(
      call.output,
      ['id', { freeText: 'name' }, 'participants'],
      data.map((one) => [one.id, one.name, String(one.participants_count)]),
    ),
  );
};

export const showHistory: CommandHandler = async (call) => {
  const asked = rowsAskedFor(call, 100);
  const service = await remoteService(call);
  const id = call.argument('instance');
  if (call.options.flag('follow')) {
    if (asked.before !== undefined)
      throw usageError('--before cannot go with --follow, which prints what is newer.');
    return followHistory(call, service, { id, limit: asked.limit, rowOf: historyRow });
  }
  const data = await readRows(asked, (page) =>
    accepted(service, service.client.instances.history(id, page, call), pageOf(historyEntry)),
  );
  // Puts the newest entry last, where a person expects it.
  const rows = data.toReversed().map(historyRow);
  call.output.result(
    { data },
    table(call.output, ['time', 'status', { freeText: 'what happened' }, { freeText: 'next' }], rows),
  );
};

function historyRow(entry: InstanceHistoryResource): readonly Cell[] {
  return [
    entry.at,
    statusText(
      entry.to ?? '',
      entry.from === entry.to ? (entry.to ?? '–') : `${entry.from ?? '–'} → ${entry.to ?? 'deleted'}`,
    ),
    [entry.description, ...detailsOf(entry)].join(' '),
    entry.next?.text ?? '–',
  ];
}

function detailsOf({
  code,
  network_code,
  count,
  last_at,
  process,
  previous_process,
}: InstanceHistoryResource): readonly string[] {
  const codes = [code, network_code].filter((one) => one !== null);
  return [
    ...(codes.length > 0 ? [`(${codes.join(', ')})`] : []),
    ...(count > 1 ? [`${count} times, last at ${last_at}.`] : []),
    ...(previous_process === null ? [] : [`It went from process ${previous_process} to ${process ?? '–'}.`]),
  ];
}

function printInstance({ output }: Call, data: InstanceResource): void {
  output.result(
    { data },
    facts({
      instance: data.id,
      name: data.name,
      status: instanceStatusText(data),
      number: data.phone_number,
      profile: data.profile_name,
      'last error': data.last_error,
      since: data.status_changed_at,
    }),
  );
}
