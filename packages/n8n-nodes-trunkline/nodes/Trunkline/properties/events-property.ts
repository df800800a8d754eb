import type { INodeProperties } from 'n8n-workflow';

export const eventsProperty: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  default: ['message.received'],
  description: 'What starts the workflow',
  options: [
    { name: 'Call Received', value: 'call.received', description: 'Somebody calls the number' },
    { name: 'Instance Connected', value: 'instance.connected' },
    {
      name: 'Instance Disconnected',
      value: 'instance.disconnected',
      description: 'The connection is down, or its session was closed from the phone',
    },
    { name: 'Instance Failed', value: 'instance.error' },
    {
      name: 'Instance Needs a Passkey',
      value: 'instance.passkey_required',
      description: 'A number can be linked only with the passkey of its account',
    },
    { name: 'Instance Needs a QR Scan', value: 'instance.qr_required' },
    {
      name: 'Message Action Failed',
      value: 'message.action_failed',
      description: 'An action on a message that was accepted, such as a reaction, could not be carried out',
    },
    { name: 'Message Deleted', value: 'message.deleted' },
    {
      name: 'Message Delivered',
      value: 'message.delivered',
      description: 'It reached the phone of the recipient',
    },
    { name: 'Message Edited', value: 'message.edited' },
    { name: 'Message Failed', value: 'message.failed', description: 'It could not be sent' },
    {
      name: 'Message From the Phone',
      value: 'message.echo',
      description: 'The owner of the number sent it with the phone',
    },
    {
      name: 'Message Media Available',
      value: 'message.media_available',
      description: 'A file that was missing at first can be downloaded',
    },
    {
      name: 'Message Media Updated',
      value: 'message.media_updated',
      description: 'A better copy of a file has replaced the first one',
    },
    {
      name: 'Message Poll Voted',
      value: 'message.poll_voted',
      description: 'Somebody voted in a poll, or took the vote back',
    },
    { name: 'Message Reaction', value: 'message.reaction' },
    { name: 'Message Read', value: 'message.read', description: 'The recipient read it' },
    { name: 'Message Received', value: 'message.received', description: 'A text or a file arrived' },
    { name: 'Message Sent', value: 'message.sent', description: 'The network accepted it' },
    {
      name: 'Message Undecryptable',
      value: 'message.undecryptable',
      description: 'It can only be seen on the phone',
    },
  ],
};
