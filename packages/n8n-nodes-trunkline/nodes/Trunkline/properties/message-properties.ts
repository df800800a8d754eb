import type { INodeProperties } from 'n8n-workflow';
import { instanceField, returnAllFields, shownFor } from './shared-properties.ts';

const SEND = shownFor('message', 'sendText', 'sendMedia');
const ADDRESSED = shownFor('message', 'sendText', 'sendMedia', 'showTyping');

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: shownFor('message'),
  options: [
    {
      name: 'Cancel',
      value: 'cancel',
      description: 'Cancel a message that waits for its time',
      action: 'Cancel a scheduled message',
    },
    {
      name: 'Delete for Everyone',
      value: 'deleteForEveryone',
      description: 'Delete a message that was sent, for everyone in its chat',
      action: 'Delete a message for everyone',
    },
    {
      name: 'Download Media',
      value: 'downloadMedia',
      description: 'Get the file of a message',
      action: 'Download the media of a message',
    },
    {
      name: 'Edit',
      value: 'edit',
      description: 'Edit a message that was sent, or that is still queued',
      action: 'Edit a message',
    },
    {
      name: 'Get',
      value: 'get',
      description: 'Get a message with its present status',
      action: 'Get a message',
    },
    {
      name: 'Get Many',
      value: 'getAll',
      description: 'List messages or search for them, newest first',
      action: 'Get many messages',
    },
    {
      name: 'Get Many Scheduled',
      value: 'getScheduled',
      description: 'List the messages that wait for their time, the next one first',
      action: 'Get many scheduled messages',
    },
    {
      name: 'Mark as Read',
      value: 'markRead',
      description: 'Mark a received message as read, with the unread ones before it in its chat',
      action: 'Mark a message as read',
    },
    {
      name: 'React',
      value: 'react',
      description: 'React to a message with an emoji, or take the reaction back',
      action: 'React to a message',
    },
    {
      name: 'Send Media',
      value: 'sendMedia',
      description: 'Send an image, a document, an audio or a video',
      action: 'Send a media message',
    },
    { name: 'Send Text', value: 'sendText', description: 'Send a text', action: 'Send a text message' },
    {
      name: 'Show Typing',
      value: 'showTyping',
      description: 'Show a chat that the number is typing or recording, or no longer',
      action: 'Show a chat that the number is typing',
    },
  ],
  default: 'sendText',
};

const recipient: INodeProperties = {
  displayName: 'To',
  name: 'to',
  type: 'resourceLocator',
  required: true,
  default: { mode: 'number', value: '' },
  description: 'The chat: a phone number, a group, or a contact',
  displayOptions: ADDRESSED,
  modes: [
    { displayName: 'Phone Number', name: 'number', type: 'string', placeholder: 'e.g. +1 555 0100' },
    {
      displayName: 'Group',
      name: 'list',
      type: 'list',
      typeOptions: { searchListMethod: 'searchGroups', searchable: true },
    },
    {
      displayName: 'ID',
      name: 'id',
      type: 'string',
      hint: 'The ID of a group or a contact',
      placeholder: 'e.g. grp_01kaj2p9v6e8gr5d0mz7q4xw1c',
    },
  ],
};

const IDEMPOTENCY_KEY: INodeProperties = {
  displayName: 'Idempotency Key',
  name: 'idempotencyKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. order-4711-shipped',
  description:
    'The same request with the same key is sent once, for 24 hours. By default, it is that of the item, and the same when the execution is retried. Set it to the ID of what the message is about, so that another execution does not send it again either.',
};

const sending: INodeProperties[] = [
  instanceField(ADDRESSED, 'The number that sends'),
  recipient,
  {
    displayName: 'State',
    name: 'state',
    type: 'options',
    options: [
      { name: 'Paused', value: 'paused' },
      { name: 'Recording', value: 'recording' },
      { name: 'Typing', value: 'typing' },
    ],
    default: 'typing',
    description:
      'What the chat is shown. Apps end it by themselves after some seconds, or when a message comes.',
    displayOptions: shownFor('message', 'showTyping'),
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 4 },
    required: true,
    default: '',
    displayOptions: shownFor('message', 'sendText'),
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the input binary field with the file to send',
    displayOptions: shownFor('message', 'sendMedia'),
  },
  {
    displayName: 'Media Type',
    name: 'mediaType',
    type: 'options',
    default: 'auto',
    description: 'How the file is sent: any file can be a document',
    displayOptions: shownFor('message', 'sendMedia'),
    options: [
      { name: 'Audio', value: 'audio' },
      { name: 'By the Type of the File', value: 'auto' },
      { name: 'Document', value: 'document' },
      { name: 'Image', value: 'image' },
      { name: 'Video', value: 'video' },
    ],
  },
  {
    displayName: 'Caption',
    name: 'caption',
    type: 'string',
    typeOptions: { rows: 2 },
    default: '',
    displayOptions: shownFor('message', 'sendMedia'),
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: SEND,
    options: [
      {
        displayName: 'File Name',
        name: 'filename',
        type: 'string',
        default: '',
        description: 'What the recipient sees. By default, the name that the file has.',
        displayOptions: { show: { '/operation': ['sendMedia'] } },
      },
      IDEMPOTENCY_KEY,
      {
        displayName: 'Reply To',
        name: 'replyTo',
        type: 'string',
        default: '',
        placeholder: 'e.g. msg_01kaj2r4t6v8x0z2b4d6f8h0j2',
        description: 'ID of a message of the same chat, which the recipient sees quoted',
      },
      {
        displayName: 'Send At',
        name: 'sendAt',
        type: 'dateTime',
        default: '',
        description: 'When to send it, at most 30 days ahead. By default, now.',
      },
      {
        displayName: 'Voice Message',
        name: 'voice',
        type: 'boolean',
        default: false,
        description: 'Whether it is a recorded voice message. The file must be Opus in Ogg.',
        displayOptions: { show: { '/operation': ['sendMedia'] } },
      },
    ],
  },
];

const reading: INodeProperties[] = [
  {
    displayName: 'Message ID',
    name: 'messageId',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. msg_01kaj2r4t6v8x0z2b4d6f8h0j2',
    displayOptions: shownFor(
      'message',
      'get',
      'downloadMedia',
      'cancel',
      'react',
      'edit',
      'deleteForEveryone',
      'markRead',
    ),
  },
  {
    displayName: 'Put Output File in Field',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the output binary field to put the file in',
    displayOptions: shownFor('message', 'downloadMedia'),
  },
  ...returnAllFields(shownFor('message', 'getAll', 'getScheduled')),
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add filter',
    default: {},
    displayOptions: shownFor('message', 'getAll'),
    options: [
      {
        displayName: 'Before',
        name: 'before',
        type: 'dateTime',
        default: '',
        description: 'Only messages from before this time',
      },
      {
        displayName: 'Direction',
        name: 'direction',
        type: 'options',
        default: 'inbound',
        options: [
          { name: 'Inbound', value: 'inbound' },
          { name: 'Outbound', value: 'outbound' },
        ],
      },
      {
        displayName: 'Instance Name or ID',
        name: 'instance',
        type: 'options',
        typeOptions: { loadOptionsMethod: 'instanceOptions' },
        default: '',
        description:
          'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'multiOptions',
        default: [],
        options: [
          { name: 'Delivered', value: 'delivered' },
          { name: 'Failed', value: 'failed' },
          { name: 'Queued', value: 'queued' },
          { name: 'Read', value: 'read' },
          { name: 'Received', value: 'received' },
          { name: 'Sent', value: 'sent' },
        ],
      },
      {
        displayName: 'Type',
        name: 'type',
        type: 'options',
        default: 'text',
        options: [
          { name: 'Audio', value: 'audio' },
          { name: 'Document', value: 'document' },
          { name: 'Image', value: 'image' },
          { name: 'Text', value: 'text' },
          { name: 'Video', value: 'video' },
        ],
      },
      {
        displayName: 'With',
        name: 'counterpart',
        type: 'string',
        default: '',
        placeholder: 'e.g. +1 555 0100',
        description:
          'Only messages with this person or in this group: a phone number, or the ID of a contact or a group',
      },
    ],
  },
];

const acting: INodeProperties[] = [
  {
    displayName: 'New Text',
    name: 'newText',
    type: 'string',
    typeOptions: { rows: 2 },
    default: '',
    displayOptions: shownFor('message', 'edit'),
  },
  {
    displayName: 'Edit the Caption of a File',
    name: 'editCaption',
    type: 'boolean',
    default: false,
    description:
      'Whether the message has a file, whose caption the new text replaces. An empty one removes it.',
    displayOptions: shownFor('message', 'edit'),
  },
  {
    displayName: 'Emoji',
    name: 'emoji',
    type: 'string',
    default: '👍',
    description: 'One emoji, which replaces the reaction before. Leave it empty to take the reaction back.',
    displayOptions: shownFor('message', 'react'),
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: shownFor('message', 'react', 'edit', 'deleteForEveryone', 'markRead'),
    options: [IDEMPOTENCY_KEY],
  },
];

export const messageProperties: INodeProperties[] = [operation, ...sending, ...reading, ...acting];
