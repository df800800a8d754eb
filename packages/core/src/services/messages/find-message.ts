import { isId } from '../../domain/id.ts';
import type { Message } from '../../domain/message/message.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';

export async function findMessage(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<Message>> {
  const message = isId('msg', id) ? await context.storage.messages.find(workspaceId, id) : null;
  return message ? ok(message) : refuse('MESSAGE_NOT_FOUND', 'There is no such message in this workspace.');
}
