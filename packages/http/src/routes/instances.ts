import { accepts } from 'hono/accepts';
import {
  chatQuery,
  connectInput,
  eventQuery,
  historyQuery,
  instanceInput,
  lookupInput,
  newInstanceInput,
  passkeyAnswerInput,
  typingInput,
} from '@trunkline/core/spi/http';
import type { ErrorCode } from '@trunkline/core';
import { data, json, NOTHING } from '../route-response.ts';
import { pageResponse } from '../page-links.ts';
import { chatPage } from '../schemas/chats.ts';
import { eventPage } from '../schemas/events.ts';
import { instance, numberLookup, passkey, qr } from '../schemas/instances.ts';
import { PAGE_PARAMETERS } from '../schemas/page.ts';
import { historyPage } from '../schemas/instance-history.ts';
import { group, joinedGroup, newGroup } from '../schemas/groups.ts';
import { list, one } from '../schemas/response-body.ts';
import { CALL_ERRORS, GROUP_CHANGE_ERRORS } from './call-errors.ts';
import { JOIN_GROUP, NEW_GROUP } from './groups.ts';
import { keyOf, withReplay } from './idempotency.ts';
import { unchecked } from './route.ts';
import type { RequestBody, RouteGroup } from './route.ts';

const SVG = 'image/svg+xml';
const QR_TYPES = ['application/json', SVG];

const OPERATION_ERRORS: readonly ErrorCode[] = [
  'INVALID_INSTANCE_STATE',
  'INSTANCE_BUSY',
  'GATEWAY_ERROR',
  'GATEWAY_UNAVAILABLE',
];

const FIELDS: RequestBody['fields'] = {
  name: {
    minLength: 1,
    description: 'At most 100 characters; white space around it is removed. By default a name is made.',
  },
  proxy_url: {
    description:
      'The address of the proxy that the instance connects through, with http:, https: or socks5:, and a user name and a password if it asks for them; null removes it. Never shown: the instance has has_proxy. Refused unless the operator allows it. A connected instance uses it from its next connection on.',
  },
  credentials: {
    description:
      'The values that link the instance, for a network that has credentials in GET /networks, by their names there: all of them, since they replace those before. The network checks them, and valid ones count as a linked number. null removes them, which is refused while the instance is meant to run; a logout removes them, too. Never shown: the instance has has_credentials.',
  },
  pace: {
    description:
      'How fast it sends, and to how many new people a day in the first ten days after its number was linked: gentle, or off, which is as fast as the network accepts messages and puts the number at risk. null, the default, is the pace that the operator has set for its network. A change applies to messages that wait already.',
  },
};

const INPUT: RequestBody = {
  name: 'InstanceInput',
  schemas: [instanceInput],
  fields: FIELDS,
  example: { name: 'Support' },
};

const NEW_INPUT: RequestBody = {
  name: 'NewInstanceInput',
  schemas: [newInstanceInput],
  fields: {
    ...FIELDS,
    network: {
      description:
        'The messaging network that the instance is on, one of those that GET /networks lists. By default the first one. It never changes.',
    },
  },
  example: { name: 'Support' },
};

const CONNECT_INPUT: RequestBody = {
  name: 'ConnectInput',
  schemas: [connectInput],
  fields: {
    pairing_phone_number: {
      description:
        'The number of a phone on which to type a code instead of scanning the QR. The QR response has the code as pairing_code.',
    },
  },
  example: { pairing_phone_number: '+1 (555) 010-1234' },
  beyond: true,
};

const PASSKEY_ANSWER: RequestBody = {
  name: 'PasskeyAnswer',
  schemas: [passkeyAnswerInput],
  fields: {
    response: {
      description:
        'The binary values are base64url. Other members of the answer, such as clientExtensionResults, are ignored.',
    },
  },
  example: {
    id: 'b1Q0c2VjcmV0',
    rawId: 'b1Q0c2VjcmV0',
    type: 'public-key',
    response: {
      clientDataJSON:
        'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicThaa1R6WXgwblZiVzVtSjFyUWQ3ZyIsIm9yaWdpbiI6Imh0dHBzOi8vd2ViLndoYXRzYXBwLmNvbSJ9',
      authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
      signature: 'MEUCIQDx',
      userHandle: null,
    },
  },
};

const PASSKEY_ERRORS: readonly ErrorCode[] = [
  'PASSKEY_NOT_AVAILABLE',
  'INSTANCE_BUSY',
  'GATEWAY_ERROR',
  'GATEWAY_UNAVAILABLE',
];

const TYPING: RequestBody = {
  name: 'TypingInput',
  schemas: [typingInput],
  fields: {
    to: { description: 'A phone number, or the id of a group (`grp_…`) or of a contact (`con_…`).' },
    state: {
      description:
        'Apps end the display by themselves after some seconds, when a message comes, or with paused. Repeat it every ten seconds or so while it lasts.',
    },
  },
  example: { to: '+1 555 0100', state: 'typing' },
};

const LOOKUP: RequestBody = {
  name: 'LookupInput',
  schemas: [lookupInput],
  fields: {
    numbers: {
      description:
        'Phone numbers, formatted or not. Several ways to write one are one lookup; the response has an entry for each.',
    },
  },
  example: { numbers: ['+55 11 98888-7777'] },
};

const INSTANCE = one(instance, 'The instance');
const CREATED_GROUP = one(newGroup, 'The group, with an outcome for each participant');

export const instanceRoutes: RouteGroup<'instances'> = {
  tag: {
    name: 'Instances',
    description:
      'An instance is one linked phone number: created, connected by scanning its QR, disconnected, deleted.',
  },
  id: {
    name: 'instance',
    description: 'The id of an instance (`ins_…`).',
    notFound: 'INSTANCE_NOT_FOUND',
  },
  routes: {
    list: {
      operationId: 'listInstances',
      method: 'GET',
      path: '/instances',
      summary: 'Lists all instances, oldest first',
      scope: 'instances:read',
      success: { status: 200, body: list(instance, 'All instances') },
      errors: [],
      handle: async ({ api }) => json(await api.instances.list()),
    },
    create: {
      operationId: 'createInstance',
      method: 'POST',
      path: '/instances',
      summary: 'Creates an instance',
      scope: 'instances:write',
      body: NEW_INPUT,
      success: { status: 201, body: INSTANCE },
      errors: ['INSTANCE_LIMIT_REACHED', 'SUBSCRIPTION_REQUIRED', 'GATEWAY_ERROR'],
      refuses: { VALIDATION_FAILED: { body: { name: 5 } } },
      handle: async ({ api, body }) => data(await api.instances.create(unchecked(body))),
    },
    get: {
      operationId: 'getInstance',
      method: 'GET',
      path: '/instances/{instance}',
      summary: 'Reads an instance',
      scope: 'instances:read',
      success: { status: 200, body: INSTANCE },
      errors: [],
      handle: async ({ api, id }) => data(await api.instances.get(id)),
    },
    update: {
      operationId: 'updateInstance',
      method: 'PATCH',
      path: '/instances/{instance}',
      summary: 'Changes the name, the proxy, the credentials or the pace of an instance',
      scope: 'instances:write',
      body: INPUT,
      success: { status: 200, body: INSTANCE },
      errors: OPERATION_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { name: '' } } },
      handle: async ({ api, id, body }) => data(await api.instances.update(id, unchecked(body))),
    },
    delete: {
      operationId: 'deleteInstance',
      method: 'DELETE',
      path: '/instances/{instance}',
      summary: 'Closes the connection of an instance and removes it',
      scope: 'instances:write',
      success: { status: 204, body: null },
      errors: ['INSTANCE_BUSY', 'GATEWAY_ERROR', 'GATEWAY_UNAVAILABLE'],
      handle: async ({ api, id }) => {
        await api.instances.delete(id);
        return NOTHING;
      },
    },
    connect: {
      operationId: 'connectInstance',
      method: 'POST',
      path: '/instances/{instance}/connect',
      summary: 'Starts to connect an instance; the first time it is paired by its QR or a code',
      scope: 'instances:write',
      body: CONNECT_INPUT,
      success: { status: 202, body: INSTANCE },
      errors: OPERATION_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { pairing_phone_number: 'none' } } },
      handle: async ({ api, id, body }) => data(await api.instances.connect(id, unchecked(body))),
    },
    disconnect: {
      operationId: 'disconnectInstance',
      method: 'POST',
      path: '/instances/{instance}/disconnect',
      summary: 'Disconnects an instance and keeps its session',
      scope: 'instances:write',
      success: { status: 200, body: INSTANCE },
      errors: OPERATION_ERRORS,
      handle: async ({ api, id }) => data(await api.instances.disconnect(id)),
    },
    logout: {
      operationId: 'logoutInstance',
      method: 'POST',
      path: '/instances/{instance}/logout',
      summary: 'Unlinks the number of an instance and discards its session',
      scope: 'instances:write',
      success: { status: 200, body: INSTANCE },
      errors: OPERATION_ERRORS,
      handle: async ({ api, id }) => data(await api.instances.logout(id)),
    },
    qr: {
      operationId: 'getInstanceQr',
      method: 'GET',
      path: '/instances/{instance}/qr',
      summary: 'Reads the QR to scan, while the status is qr_required',
      scope: 'instances:write',
      success: { status: 200, body: one(qr, 'The current QR'), contentTypes: QR_TYPES, noStore: true },
      errors: ['QR_NOT_AVAILABLE'],
      handle: async ({ api, id, c }) => {
        const qr = await api.instances.qr(id);
        const type = accepts(c, { header: 'Accept', supports: QR_TYPES, default: 'application/json' });
        return type === SVG ? { headers: { 'Content-Type': SVG }, body: qr.svg } : data(qr);
      },
    },
    passkey: {
      operationId: 'getInstancePasskey',
      method: 'GET',
      path: '/instances/{instance}/passkey',
      beyond: true,
      summary: 'Reads the passkey step of a linking, while last_error is passkey_required',
      scope: 'instances:write',
      success: { status: 200, body: one(passkey, 'The current step'), noStore: true },
      errors: ['PASSKEY_NOT_AVAILABLE'],
      handle: async ({ api, id }) => data(await api.instances.passkey(id)),
    },
    answerPasskey: {
      operationId: 'answerInstancePasskey',
      method: 'POST',
      path: '/instances/{instance}/passkey',
      beyond: true,
      summary: "Passes the browser's answer to the request for a passkey to the network",
      scope: 'instances:write',
      body: PASSKEY_ANSWER,
      success: { status: 202, body: INSTANCE },
      errors: PASSKEY_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { type: 'password' } } },
      handle: async ({ api, id, body }) => data(await api.instances.answerPasskey(id, unchecked(body))),
    },
    confirmPasskey: {
      operationId: 'confirmInstancePasskey',
      method: 'POST',
      path: '/instances/{instance}/passkey/confirm',
      beyond: true,
      summary: 'Confirms that the phone shows the code of the passkey step',
      scope: 'instances:write',
      success: { status: 202, body: INSTANCE },
      errors: PASSKEY_ERRORS,
      handle: async ({ api, id }) => data(await api.instances.confirmPasskey(id)),
    },
    typing: {
      operationId: 'showTyping',
      method: 'POST',
      path: '/instances/{instance}/typing',
      beyond: true,
      summary:
        'Shows a chat that the instance is typing or recording, or no longer; neither queued nor stored',
      scope: 'messages:send',
      body: TYPING,
      success: { status: 204, body: null },
      errors: CALL_ERRORS,
      refuses: {
        INVALID_RECIPIENT: { body: { to: 'none' } },
        GROUP_NOT_FOUND: { body: { to: 'grp_none' } },
        VALIDATION_FAILED: { body: { state: 'singing' } },
      },
      handle: async ({ api, id, body }) => {
        await api.instances.typing(id, unchecked(body));
        return NOTHING;
      },
    },
    lookup: {
      operationId: 'lookUpNumbers',
      method: 'POST',
      path: '/instances/{instance}/lookup',
      beyond: true,
      summary: 'Whether numbers are on the network, in the order of the request; results are kept for a day',
      scope: 'messages:send',
      body: LOOKUP,
      success: { status: 200, body: list(numberLookup, 'An entry for each number') },
      errors: CALL_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { numbers: ['none'] } } },
      handle: async ({ api, id, body }) => json(await api.instances.lookup(id, unchecked(body))),
    },
    groups: {
      operationId: 'listGroups',
      method: 'GET',
      path: '/instances/{instance}/groups',
      summary: 'Lists the groups of an instance by name',
      scope: 'instances:read',
      success: { status: 200, body: list(group, 'All groups') },
      errors: [],
      handle: async ({ api, id }) => json(await api.instances.groups(id)),
    },
    createGroup: {
      operationId: 'createGroup',
      method: 'POST',
      path: '/instances/{instance}/groups',
      beyond: true,
      summary: 'Creates a group and adds people: once for each Idempotency-Key, also after OUTCOME_UNKNOWN',
      scope: 'instances:write',
      body: NEW_GROUP,
      success: { status: 201, body: CREATED_GROUP },
      replay: {
        status: 200,
        body: CREATED_GROUP,
        description: 'The same request was made before: the group as it is now',
      },
      errors: [...GROUP_CHANGE_ERRORS, 'IDEMPOTENCY_KEY_REUSED', 'GROUP_NOT_FOUND'],
      refuses: {
        VALIDATION_FAILED: { body: { name: '' } },
        INVALID_IDEMPOTENCY_KEY: { headers: { 'Idempotency-Key': 'two words' } },
      },
      handle: async ({ api, id, body, c }) => {
        const { group: made, replayed } = await api.instances.createGroup(id, unchecked(body), keyOf(c));
        return withReplay(data(made), replayed);
      },
    },
    joinGroup: {
      operationId: 'joinGroup',
      method: 'POST',
      path: '/instances/{instance}/groups/join',
      beyond: true,
      summary: 'Makes the number join a group by its link, or ask an admin to be let in',
      scope: 'instances:write',
      body: JOIN_GROUP,
      success: { status: 200, body: one(joinedGroup, 'Whether it has joined') },
      errors: GROUP_CHANGE_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { invite: '' } } },
      handle: async ({ api, id, body }) => data(await api.instances.joinGroup(id, unchecked(body))),
    },
    history: {
      operationId: 'listInstanceHistory',
      method: 'GET',
      path: '/instances/{instance}/history',
      beyond: true,
      summary: 'Why an instance is as it is: each change with its reason and what comes next, newest first',
      scope: 'instances:read',
      query: { schema: historyQuery, parameters: { ...PAGE_PARAMETERS } },
      success: { status: 200, body: historyPage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'limit=0' } },
      handle: async ({ api, id, query, publicUrl }) =>
        pageResponse(await api.instances.history(id, unchecked(query)), publicUrl()),
    },
    chats: {
      operationId: 'listChats',
      method: 'GET',
      path: '/instances/{instance}/chats',
      beyond: true,
      summary: 'Lists the chats of an instance by their last message, newest first',
      scope: 'messages:read',
      query: { schema: chatQuery, parameters: { ...PAGE_PARAMETERS } },
      success: { status: 200, body: chatPage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'limit=0' } },
      handle: async ({ api, id, query, publicUrl }) =>
        pageResponse(await api.instances.chats(id, unchecked(query)), publicUrl()),
    },
    events: {
      operationId: 'listInstanceEvents',
      method: 'GET',
      path: '/instances/{instance}/events',
      beyond: true,
      summary: 'What has happened to an instance and its messages in 30 days, newest first',
      scope: 'instances:read',
      alsoScope: 'messages:read',
      query: {
        schema: eventQuery,
        parameters: {
          types: 'Only events of these types, separated by commas.',
          ...PAGE_PARAMETERS,
        },
      },
      success: { status: 200, body: eventPage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'types=message.lost' } },
      handle: async ({ api, id, query, publicUrl }) =>
        pageResponse(await api.instances.events(id, unchecked(query)), publicUrl()),
    },
  },
};
