import type { INodeProperties } from 'n8n-workflow';
import { instanceField, returnAllFields, shownFor } from './shared-properties.ts';

/** Chats can only be listed. */
export const chatProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('chat'),
    options: [
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'List the chats of a number, the one with the newest message first',
        action: 'Get many chats',
      },
    ],
    default: 'getAll',
  },
  instanceField(shownFor('chat', 'getAll'), 'The linked number'),
  ...returnAllFields(shownFor('chat', 'getAll')),
];
