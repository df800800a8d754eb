import type { MessageDeletion, MessagesDeleted } from '../../ports/storage/erasure-store.ts';
import { UnavailableError } from '../../ports/unavailable-error.ts';
import { pause } from '../../runtime/deadline.ts';
import type { ServiceContext } from '../context.ts';

const AGAIN_MS = 1_000;
const MOST_IN_VAIN = 10;

/**
 * Deletes messages step by step and yields the result of each step. If a step deletes nothing although more
 * is left, for example because new events keep coming, waits a second before the next step. After ten such
 * steps in a row, rejects with an `UnavailableError`.
 */
export async function* deleteMessages(
  { storage, clock }: Pick<ServiceContext, 'storage' | 'clock'>,
  workspaceId: string,
  deletion: MessageDeletion,
): AsyncGenerator<MessagesDeleted> {
  let inVain = 0;
  for (let more = true; more;) {
    const deleted = await storage.erasure.deleteMessages(workspaceId, deletion);
    yield deleted;
    more = deleted.more;
    inVain = deleted.messages + deleted.events > 0 ? 0 : inVain + 1;
    if (!more || inVain === 0) continue;
    if (inVain === MOST_IN_VAIN)
      throw new UnavailableError(`${MOST_IN_VAIN} attempts to delete messages have deleted nothing.`);
    await pause(clock, AGAIN_MS);
  }
}
