import type { EventQuery } from '@trunkline/http/client';
import { printableJson } from '../terminal/printable.ts';
import type { CommandHandler } from './command.ts';
import { usageError } from '../errors/command-error.ts';
import { subjectOf, timeOf } from '../terminal/event-line.ts';
import { readRows, rowsAskedFor } from './pages.ts';
import { objectCommand } from './plain-commands.ts';
import { accepted, remoteService } from './remote-service.ts';
import { event, page as pageOf } from './service-shapes.ts';
import { joinTexts } from '../terminal/styled-text.ts';
import { facts, table } from '../terminal/table.ts';

export const listEvents: CommandHandler = async (call) => {
  const { options, output } = call;
  const asked = rowsAskedFor(call, 25);
  const [message, instance] = [options.text('message'), options.text('instance')];
  const types = options.list('types')?.join(',');
  if ((message === undefined) === (instance === undefined))
    throw usageError('Name what the events are about: either --message or --instance.');
  if (message !== undefined && types !== undefined)
    throw usageError('--types goes with --instance: the events of a message are few.');
  const service = await remoteService(call);
  const { messages, instances } = service.client;
  const data = await readRows(asked, (page) => {
    const query: EventQuery = { ...page, types };
    return message === undefined
      ? accepted(service, instances.events(instance ?? '', query, call), pageOf(event))
      : accepted(service, messages.events(message, page, call), pageOf(event));
  });
  output.result(
    { data },
    table(
      output,
      {
        id: (one) => one.id,
        at: timeOf,
        type: (one) => one.type,
        about: { freeText: (one) => subjectOf(one, (text) => text) },
      },
      data,
    ),
  );
};

export const showEvent: CommandHandler = objectCommand({
  of: 'event',
  shape: event,
  request: ({ events }, id, call) => events.get(id, call),
  describe: (data) =>
    joinTexts(
      [
        facts({ event: data.id, type: data.type, at: timeOf(data), about: subjectOf(data) }),
        '',
        printableJson(data),
      ],
      '\n',
    ),
});
