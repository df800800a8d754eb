import type { EventQuery } from '@trunkline/http/client';
import { printableJson } from '../printable.ts';
import type { CommandHandler } from './command.ts';
import { usageError } from './command-error.ts';
import { subjectOf, timeOf } from './event-line.ts';
import { readRows, rowsAskedFor } from './pages.ts';
import { accepted, remoteService } from './remote-service.ts';
import { event, page as pageOf, theOne } from './service-shapes.ts';
import { joinTexts } from './styled-text.ts';
import { facts, table } from './table.ts';

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
      ['id', 'at', 'type', { freeText: 'about' }],
      data.map((event) => [event.id, timeOf(event), event.type, subjectOf(event, (text) => text)]),
    ),
  );
};

export const showEvent: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('event');
  const { data } = await accepted(service, service.client.events.get(id, call), theOne(event, id));
  call.output.result(
    { data },
    joinTexts(
      [
        facts({ event: data.id, type: data.type, at: timeOf(data), about: subjectOf(data) }),
        '',
        printableJson(data),
      ],
      '\n',
    ),
  );
};
