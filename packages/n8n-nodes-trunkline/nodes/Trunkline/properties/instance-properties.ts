import type { INodeProperties } from 'n8n-workflow';
import { instanceField, returnAllFields, shownFor } from './shared-properties.ts';

export const instanceProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('instance'),
    options: [
      {
        name: 'Connect',
        value: 'connect',
        description: 'Connect a number that is not connected',
        action: 'Connect an instance',
      },
      {
        name: 'Get',
        value: 'get',
        description: 'Get an instance with its present status',
        action: 'Get an instance',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'List the instances of the workspace',
        action: 'Get many instances',
      },
      {
        name: 'Get QR Code',
        value: 'getQr',
        description: 'Get the code that a phone scans, while the instance asks for it',
        action: 'Get the QR code of an instance',
      },
      {
        name: 'Look Up Numbers',
        value: 'lookUp',
        description: 'Ask the network whether it has numbers',
        action: 'Look up numbers',
      },
    ],
    default: 'getAll',
  },
  instanceField(shownFor('instance', 'get', 'connect', 'getQr', 'lookUp'), 'The linked number'),
  {
    displayName: 'Phone Numbers',
    name: 'numbers',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. +1 555 0100, +1 555 0101',
    description: 'At most 50, separated by commas. The network is asked about a number once a day.',
    displayOptions: shownFor('instance', 'lookUp'),
  },
  {
    displayName: 'Put Output File in Field',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the output binary field to put the picture in',
    displayOptions: shownFor('instance', 'getQr'),
  },
  ...returnAllFields(shownFor('instance', 'getAll')),
];
