import type { CommandHandler } from './command.ts';
import { readRows, rowsAskedFor } from './pages.ts';
import { accepted, remoteService } from './remote-service.ts';
import { chat, page as pageOf } from './service-shapes.ts';
import { statusText } from './status-text.ts';
import { table } from './table.ts';

export const listChats: CommandHandler = async (call) => {
  const asked = rowsAskedFor(call, 25);
  const id = call.argument('instance');
  const service = await remoteService(call);
  const data = await readRows(asked, (page) =>
    accepted(service, service.client.instances.chats(id, page, call), pageOf(chat)),
  );
  call.output.result(
    { data },
    table(
      call.output,
      ['with', { freeText: 'name' }, 'last message', 'at', 'direction', 'status', { freeText: 'text' }],
      data.map(({ counterpart, name, last_message: last }) => [
        counterpart,
        name ?? '–',
        last.id,
        last.created_at,
        last.direction,
        statusText(last.status),
        last.excerpt ?? '',
      ]),
    ),
  );
};
