import { pluralIn } from '../plural.ts';

const plural = pluralIn('en');

export const system = {
  title: 'System',
  allWell: 'All is well.',
  allWellDetail: (count: number) =>
    plural(count, { one: '# process runs the service.', other: '# processes run the service.' }),
  silentProcesses: (count: number) =>
    plural(count, { one: '# process is silent.', other: '# processes are silent.' }),
  nobody: {
    gateway: 'No process holds numbers: nothing is sent or received.',
    webhooks: 'No process sends webhooks.',
    maintenance: 'No process does the maintenance: nothing old is deleted, and no notifications are sent.',
  },
  unheld: (count: number) =>
    plural(count, { one: '# number is held by no process.', other: '# numbers are held by no process.' }),
  messagesOverdue: (count: number, distance: string) =>
    plural(count, {
      one: `A message has waited for ${distance} to be sent.`,
      other: `# messages wait to be sent, the oldest for ${distance}.`,
    }),
  deliveriesOverdue: (count: number, distance: string) =>
    plural(count, {
      one: `A webhook delivery has not arrived for ${distance}.`,
      other: `# webhook deliveries have not arrived, the oldest for ${distance}.`,
    }),

  processes: 'Processes',
  processesCaption: 'Processes of the service, those that are silent first',
  noProcesses: 'No process has reported yet.',
  noProcessesHint: 'Each does so right after its start. A process with no role is not listed.',
  process: 'Process',
  does: 'Does',
  roles: {
    api: 'API',
    gateway: 'numbers',
    webhooks: 'webhooks',
    maintenance: 'maintenance',
    handlers: 'handlers',
  },
  holds: 'Holds',
  holdsNumbers: (count: number) => plural(count, { one: '# number', other: '# numbers' }),
  runsFor: 'Runs for',
  memory: 'Memory',
  busy: 'Busy',
  report: 'Report',
  silent: 'Silent',
  reports: 'Reports',
  silentHint:
    'A process that has not reported for more than a minute has died, hangs, or cannot reach the database: its log says more. It stays listed for an hour.',

  waiting: 'What waits',
  nothing: 'nothing',
  oldestFor: 'the oldest for',
  messages: 'Messages to send',
  deliveries: 'Webhook deliveries',
  failingWebhooks: 'Webhooks that fail, with deliveries given up',
  downloads: 'Files to fetch',
  events: 'Events for handlers',
  exhaustedEvents: 'Events that their handler gave up',

  handlers: 'Handlers',
  handlersCaption: 'Handlers in your own processes, and the events that wait for them',
  noHandlers: 'No handler.',
  noHandlersHint: 'A program that embeds the service registers them with trunkline.on().',
  handler: 'Handler',
  types: 'Events',
  waits: 'Waiting',
  exhausted: 'Given up',
  retry: 'Retry',
  retryOne: (name: string) => `Retry the events that ${name} gave up`,
  retried: (requeued: number) =>
    plural(requeued, { one: '# event gets one more attempt.', other: '# events get one more attempt.' }),
  remove: 'Delete',
  removeOne: (name: string) => `Delete ${name}`,
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText:
    'The events that wait for it are deleted with it. Delete only what no program registers any more: one that does adds it again, empty, at its next start.',
  removed: 'Deleted.',

  database: 'Database and versions',
  product: 'Database',
  size: 'Size',
  schema: 'Schema version',
  inMemory: 'in memory: lost at the end of the process',
  version: 'Trunkline',
};
