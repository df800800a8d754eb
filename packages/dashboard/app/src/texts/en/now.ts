import { pluralIn } from '../plural.ts';

const plural = pluralIn('en');

export const now = {
  title: 'Now',
  allWell: 'All is well.',
  allWellDetail: (numbers: number) =>
    plural(numbers, { one: '# number is connected.', other: '# numbers are connected.' }),
  nothingYet: 'There is no number yet.',
  nothingYetHint: 'Add the first one: it takes a phone, and a minute.',
  toNumbers: 'Go to Numbers',
  toWebhooks: 'Go to Webhooks',
  toChats: 'Go to Chats',
  toKeys: 'Go to API keys',
  firstSteps: 'First steps',
  stepNumber: 'Link a number',
  stepMessage: 'Send a first message',
  stepWebhook: 'Add a webhook, so that your systems are notified',
  stepKey: 'Create an API key for your program',
  stepDone: 'done',
  stepUndone: 'to do',
  numbersDown: (count: number) => plural(count, { one: '# number is down.', other: '# numbers are down.' }),
  numbersWaiting: (count: number) =>
    plural(count, { one: '# number needs attention.', other: '# numbers need attention.' }),
  numbersConnecting: (count: number) =>
    plural(count, { one: '# number is connecting.', other: '# numbers are connecting.' }),
  messagesWaiting: (count: number) => plural(count, { one: '# message waits.', other: '# messages wait.' }),
  waiting: 'Messages that wait',
  waitingCaption: 'Numbers whose messages wait for more than a minute, the longest first',
  messages: 'Messages',
  oldest: 'The oldest for',
  hours: 'Messages in the last 24 hours',
  hoursSummary: (total: string, most: string) => `${total} sent and received, at most ${most} in an hour.`,
  hoursTable: 'As a table',
  hoursCaption: 'Hours with messages, the oldest first',
  hour: 'Hour from',
  webhooksDown: (count: number) =>
    plural(count, { one: '# webhook is disabled.', other: '# webhooks are disabled.' }),
  webhooksFailing: (count: number) => plural(count, { one: '# webhook fails.', other: '# webhooks fail.' }),
  numbers: 'Numbers',
  numbersCaption: 'Numbers that need attention or are connecting, the worst first',
  numbersWell: (count: number) =>
    plural(count, { one: '# number needs no attention.', other: '# numbers need no attention.' }),
  webhooks: 'Webhooks',
  webhooksCaption: 'Webhooks that do not deliver, the worst first',
  webhooksWell: (count: number) =>
    plural(count, { one: '# webhook needs no attention.', other: '# webhooks need no attention.' }),
  noWebhooks: 'No webhook: your systems are not notified of what happens.',
  name: 'Name',
  address: 'Address',
  status: 'Status',
  since: 'Since',
  cause: 'Cause',
  next: 'Next',
  disabledIn: 'disabled in',
  disabled: 'Disabled',
  failing: 'Failing',
  restricted: 'Restricted',
  disabledBecause: { manual: 'by hand', auto_no_delivery_72h: 'nothing arrived for 72 h' },
  lastResponse: (status: string) => `last response: ${status}`,
  noResponse: 'no response',
};
