import type { INodeProperties } from 'n8n-workflow';
import { shownFor } from './shared-properties.ts';

export const contactProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('contact'),
    options: [
      {
        name: 'Block',
        value: 'block',
        description: 'Block a contact for the number that it writes to',
        action: 'Block a contact',
      },
      { name: 'Unblock', value: 'unblock', description: 'End a block', action: 'Unblock a contact' },
    ],
    default: 'block',
  },
  {
    displayName: 'Contact ID',
    name: 'contactId',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. con_01kaj2r4t6v8x0z2b4d6f8h0j2',
    description: 'The ID of the contact of a message',
    displayOptions: shownFor('contact', 'block', 'unblock'),
  },
];
