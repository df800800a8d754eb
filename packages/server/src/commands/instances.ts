import type { InstanceHistoryResource, InstanceResource } from '@trunkline/http/client';
import * as z from 'zod';
import type { Call, CommandHandler } from './command.ts';
import { usageError } from '../errors/command-error.ts';
import { followHistory } from './history-follow.ts';
import { readRows, rowsAskedFor } from './pages.ts';
import { deleteCommand, listCommand, objectCommand } from './plain-commands.ts';
import { accepted, remoteService } from './remote-service.ts';
import { standardInput } from './standard-input.ts';
import {
  anyObject,
  group,
  historyEntry,
  instance,
  numberLookup,
  one as reply,
  page as pageOf,
} from './service-shapes.ts';
import { printable } from '../terminal/printable.ts';
import { instanceStatusText, statusText } from '../terminal/status-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts, table } from '../terminal/table.ts';
import type { Columns } from '../terminal/table.ts';

export const listInstances: CommandHandler = listCommand({
  shape: instance,
  list: ({ instances }, call) => instances.list(call),
  columns: {
    id: (one) => one.id,
    name: { freeText: (one) => one.name },
    network: (one) => one.network,
    status: instanceStatusText,
    number: (one) => one.phone_number,
    since: (one) => one.status_changed_at,
  },
});

export const createInstance: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const input = {
    name: call.options.text('name'),
    network: call.options.text('network'),
    ...(call.options.flag('credentials') && { credentials: await credentialsGiven(call) }),
  };
  const { data } = await accepted(service, service.client.instances.create(input, call), reply(instance));
  call.output.result({ data }, instanceFacts(data));
  call.output.say(`\nNext: trunkline connect ${data.id}`);
};

export const showInstance: CommandHandler = objectCommand({
  of: 'instance',
  shape: instance,
  request: ({ instances }, id, call) => instances.get(id, call),
  describe: instanceFacts,
});

export const renameInstance: CommandHandler = objectCommand({
  of: 'instance',
  shape: instance,
  request: ({ instances }, id, call) => instances.update(id, { name: call.argument('name') }, call),
  describe: instanceFacts,
});

export const paceInstance: CommandHandler = objectCommand({
  of: 'instance',
  shape: instance,
  request: ({ instances }, id, call) =>
    instances.update(id, { pace: paceNamed(call.argument('pace')) }, call),
  describe: instanceFacts,
});

function paceNamed(text: string): 'gentle' | 'off' | null {
  if (text === 'gentle' || text === 'off') return text;
  if (text === 'default') return null;
  throw usageError('The pace must be gentle, off or default.');
}

export const credentialInstance: CommandHandler = objectCommand({
  of: 'instance',
  shape: instance,
  request: async ({ instances }, id, call) => {
    const credentials = call.options.flag('remove') ? null : await credentialsGiven(call);
    return instances.update(id, { credentials }, call);
  },
  describe: instanceFacts,
});

/** Reads credentials from standard input, because others can see the arguments of a command. */
async function credentialsGiven({ signal }: Call): Promise<Readonly<Record<string, string>>> {
  const given = CREDENTIALS.safeParse(await standardInput(signal));
  if (given.success) return given.data;
  throw usageError(
    'Standard input must have the credentials as a JSON object of texts: echo \'{"access_token":"…"}\' | trunkline …',
  );
}

const CREDENTIALS = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.string()));

export const disconnectInstance: CommandHandler = objectCommand({
  of: 'instance',
  shape: instance,
  request: ({ instances }, id, call) => instances.disconnect(id, call),
  describe: instanceFacts,
});

export const logOutInstance: CommandHandler = objectCommand({
  of: 'instance',
  shape: instance,
  asks: (id) => `The phone of ${id} will be unlinked; to use it again, somebody has to scan a QR.`,
  request: ({ instances }, id, call) => instances.logout(id, call),
  describe: instanceFacts,
});

export const showTyping: CommandHandler = async (call) => {
  const { argument, output } = call;
  const service = await remoteService(call);
  const [instance, to] = [argument('instance'), argument('to')];
  const state = argument('state') || 'typing';
  // The cast is safe because the service validates the state.
  const input = { to, state: state as 'typing' };
  await accepted(service, service.client.instances.typing(instance, input, call), anyObject);
  output.result({ data: { instance, to, state } }, printable(`Shown to ${to}: ${state}.`));
};

export const lookUpNumbers: CommandHandler = listCommand({
  shape: numberLookup,
  list: ({ instances }, call) =>
    instances.lookup(call.argument('instance'), { numbers: call.argument('numbers').split(',') }, call),
  columns: {
    number: (one) => one.number,
    'on the network': (one) => (one.on_network ? 'yes' : 'no'),
    'registered as': (one) => one.registered_number,
  },
});

export const deleteInstance: CommandHandler = deleteCommand({
  of: 'instance',
  asks: (id) => `The instance ${id} will be deleted, with its session and the files of its messages.`,
  request: ({ instances }, id, options) => instances.delete(id, options),
});

export const listGroups: CommandHandler = listCommand({
  shape: group,
  list: ({ instances }, call) => instances.groups(call.argument('instance'), call),
  columns: {
    id: (one) => one.id,
    name: { freeText: (one) => one.name },
    participants: (one) => one.participants_count,
  },
});

export const showHistory: CommandHandler = async (call) => {
  const asked = rowsAskedFor(call, 100);
  const service = await remoteService(call);
  const id = call.argument('instance');
  if (call.options.flag('follow')) {
    if (asked.before !== undefined)
      throw usageError('--before cannot go with --follow, which prints what is newer.');
    return followHistory(call, service, { id, limit: asked.limit, columns: HISTORY });
  }
  const data = await readRows(asked, (page) =>
    accepted(service, service.client.instances.history(id, page, call), pageOf(historyEntry)),
  );
  // Puts the newest entry last, where a person expects it.
  call.output.result({ data }, table(call.output, HISTORY, data.toReversed()));
};

const HISTORY: Columns<InstanceHistoryResource> = {
  time: (one) => one.at,
  status: ({ from, to }) =>
    statusText(to ?? '', from === to ? (to ?? '–') : `${from ?? '–'} → ${to ?? 'deleted'}`),
  'what happened': { freeText: (one) => [one.description, ...detailsOf(one)].join(' ') },
  next: { freeText: (one) => one.next && one.next.text },
};

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

function instanceFacts(data: InstanceResource): Text {
  return facts({
    instance: data.id,
    name: data.name,
    network: data.network,
    status: instanceStatusText(data),
    number: data.phone_number,
    ...(typeof data.pace === 'string' && { pace: data.pace }),
    ...(data.has_credentials && { credentials: 'given' }),
    profile: data.profile_name,
    'last error': data.last_error,
    since: data.status_changed_at,
  });
}
