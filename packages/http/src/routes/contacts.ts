import type { ErrorCode } from '@trunkline/core';
import { NOTHING } from '../route-response.ts';
import type { RouteGroup } from './route.ts';

const BLOCK_ERRORS: readonly ErrorCode[] = [
  'INSTANCE_NOT_FOUND',
  'INSTANCE_NOT_CONNECTED',
  'UNSUPPORTED_MESSAGE_TYPE',
  'GATEWAY_ERROR',
  'GATEWAY_UNAVAILABLE',
];

export const contactRoutes: RouteGroup<'contacts'> = {
  tag: {
    name: 'Contacts',
    description:
      'The people in the messages of an instance. Each instance has contacts of its own, also for the same person.',
  },
  id: { name: 'contact', description: 'The id of a contact (`con_…`).', notFound: 'CONTACT_NOT_FOUND' },
  routes: {
    block: {
      operationId: 'blockContact',
      method: 'PUT',
      path: '/contacts/{contact}/block',
      beyond: true,
      summary: 'Blocks a contact for its instance; neither queued nor stored',
      scope: 'messages:send',
      success: { status: 204, body: null },
      errors: BLOCK_ERRORS,
      handle: async ({ api, id }) => {
        await api.contacts.block(id);
        return NOTHING;
      },
    },
    unblock: {
      operationId: 'unblockContact',
      method: 'DELETE',
      path: '/contacts/{contact}/block',
      beyond: true,
      summary: 'Ends the block of a contact, whether there is one or not',
      scope: 'messages:send',
      success: { status: 204, body: null },
      errors: BLOCK_ERRORS,
      handle: async ({ api, id }) => {
        await api.contacts.unblock(id);
        return NOTHING;
      },
    },
  },
};
