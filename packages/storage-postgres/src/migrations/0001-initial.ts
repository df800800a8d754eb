import { endpoints } from './0001/endpoints.ts';
import { history } from './0001/history.ts';
import { instances } from './0001/instances.ts';
import { lanes } from './0001/lanes.ts';
import { messages } from './0001/messages.ts';
import { settings } from './0001/settings.ts';
import { subscriptions } from './0001/subscriptions.ts';
import { workspaces } from './0001/workspaces.ts';

/**
 * Ids are uuids, which sort as the ids do. Times are epoch milliseconds, `occurred_at` of events epoch microseconds: as
 * integers they are exact, whatever the time zone. Free text stands as text-encoding.ts has it; JSON stands as text,
 * since the database looks at nothing inside.
 */
export const initial: string = [
  settings,
  workspaces,
  instances,
  messages,
  endpoints,
  history,
  lanes,
  subscriptions,
].join('\n');
