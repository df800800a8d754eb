import type { INodeProperties } from 'n8n-workflow';
import { instanceField, returnAllFields, shownFor } from './shared-properties.ts';

/** Groups and chats can only be listed. */
export const listProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('group'),
    options: [
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'List the groups that a number is in',
        action: 'Get many groups',
      },
    ],
    default: 'getAll',
  },
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
  ...['group', 'chat'].flatMap((resource) => [
    instanceField(shownFor(resource, 'getAll'), 'The linked number'),
    ...returnAllFields(shownFor(resource, 'getAll')),
  ]),
];
