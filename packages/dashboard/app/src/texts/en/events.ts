import { pluralIn } from '../plural.ts';

const plural = pluralIn('en');

export const events = {
  title: 'Events',
  listTitle: 'What happens',
  type: 'Type',
  number: 'Number',
  fromNow: 'What happens from now on shows here. Choose a number to see its last events as well.',
  waiting: 'Nothing has happened since this page was opened.',
  noneMatch: 'No event matches.',
  pause: 'Pause',
  resume: 'Go on',
  pausedWith: (count: number) =>
    plural(count, { one: 'Paused: # new event waits.', other: 'Paused: # new events wait.' }),
  gap: 'The connection was interrupted: events may be missing here.',
  notLive: {
    connecting: 'The connection that brings events is being made.',
    polling: 'The connection that brings events does not get through. It is tried again.',
    offline: 'The service cannot be reached. Events that happen meanwhile may be missing.',
    paused: 'This page was in the background for a while. It connects again now.',
  },
  message: 'Message',
  body: 'Body of the event',
  deliveries: 'Deliveries',
  noDelivery: 'No webhook gets it.',
};
