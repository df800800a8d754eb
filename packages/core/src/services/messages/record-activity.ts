import type { Activity } from '../../ports/gateway.ts';
import type { ServiceContext } from '../context.ts';
import type { FileReceiving } from '../media/file-lane.ts';
import { updateMedia } from '../media/update-media.ts';
import { recordCall, recordUndecryptable } from './activities.ts';
import { recordDeed } from './activities-on-messages.ts';
import { receiveEcho } from './receive-echo.ts';

export async function recordActivity(
  context: ServiceContext,
  receiving: FileReceiving,
  activity: Activity,
): Promise<void> {
  switch (activity.kind) {
    case 'echo':
      return receiveEcho(context, receiving, activity);
    case 'reaction':
    case 'vote':
    case 'edit':
    case 'deletion':
      return recordDeed(context, receiving, activity);
    case 'media_update':
      return updateMedia(context, receiving, activity);
    case 'undecryptable':
      return recordUndecryptable(context, receiving, activity);
    case 'call':
      return recordCall(context, receiving, activity);
  }
}
