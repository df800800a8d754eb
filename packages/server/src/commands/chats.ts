import type { CommandHandler } from './command.ts';
import { pagesCommand } from './plain-commands.ts';
import { chat } from './service-shapes.ts';
import { statusText } from '../terminal/status-text.ts';

export const listChats: CommandHandler = pagesCommand({
  shape: chat,
  page: ({ instances }, page, call) => instances.chats(call.argument('instance'), page, call),
  columns: {
    with: (one) => one.counterpart,
    name: { freeText: (one) => one.name },
    'last message': (one) => one.last_message.id,
    at: (one) => one.last_message.created_at,
    direction: (one) => one.last_message.direction,
    status: (one) => statusText(one.last_message.status),
    text: { freeText: (one) => one.last_message.excerpt ?? '' },
  },
});
