import { isConfigured } from './domain/endpoint/endpoint-state.ts';
import type { Endpoint } from './domain/endpoint/endpoint.ts';
import { withoutEndedRestriction } from './domain/instance/instance-restriction.ts';
import type { Instance } from './domain/instance/instance.ts';
import { asMediaType } from './domain/message/media-rules.ts';
import type { Result } from './domain/result.ts';
import type { Member } from './domain/workspace/workspace.ts';
import { chatResource } from './resources/chat.ts';
import { messageStandingResource } from './resources/message-standing.ts';
import { groupResource } from './resources/group.ts';
import { instanceResource } from './resources/instance.ts';
import type { InstanceResource } from './resources/instance.ts';
import { instanceHistoryResource } from './resources/instance-history.ts';
import { numberLookupResource } from './resources/number-lookup.ts';
import { networkResource } from './resources/network.ts';
import { actionResource } from './resources/message-action.ts';
import { voteResource } from './resources/vote.ts';
import { listVotes } from './services/messages/votes.ts';
import { messageResource } from './resources/message.ts';
import { trafficResource, webhookTrafficResource } from './resources/traffic.ts';
import { deliveryDetailResource, deliveryResource, webhookResource } from './resources/webhook.ts';
import type { WebhookResource } from './resources/webhook.ts';
import { eventResource } from './resources/event.ts';
import { findDelivery, listDeliveries, retryDelivery, retryFailedDeliveries } from './services/deliveries.ts';
import { listEventDeliveries } from './services/events/event-deliveries.ts';
import { findEvent, listInstanceEvents, listMessageEvents } from './services/events/find-events.ts';
import { lookUpNumbers } from './services/calls/look-up-numbers.ts';
import { setBlocked } from './services/calls/block-contact.ts';
import {
  changeParticipants,
  createGroup,
  decideJoinRequests,
  describeGroup,
  groupInvite,
  joinGroup,
  leaveGroup,
  listJoinRequests,
  updateGroup,
} from './services/calls/manage-groups.ts';
import { showTyping } from './services/calls/typing.ts';
import { listHistory } from './services/instances/history.ts';
import { listChats } from './services/chats.ts';
import { findStanding } from './services/messages/message-standing.ts';
import { listGroups } from './services/instances/groups.ts';
import { createInstance, findInstance, readQr } from './services/instances/instances.ts';
import { answerPasskey, confirmPasskey, readPasskey } from './services/instances/passkey.ts';
import { connectInstance, runOperation } from './services/instances/operations.ts';
import { updateInstance } from './services/instances/update-instance.ts';
import { openUpload, sendWithFile } from './services/media/uploads.ts';
import {
  deleteForEveryone,
  editWords,
  listActions,
  markRead,
  reactToMessage,
  takeReactionBack,
} from './services/messages/act-on-message.ts';
import type { AcceptedAction } from './services/messages/act-on-message.ts';
import { findMessage, listMessages, readMedia } from './services/messages/messages.ts';
import { cancelMessage, listScheduled } from './services/messages/scheduled-messages.ts';
import { sendMessage } from './services/messages/send-message.ts';
import { readTraffic, readTrafficOfWebhook, readWebhookTraffic } from './services/traffic/read-traffic.ts';
import type { ListPage } from './services/paging.ts';
import type { ServiceContext } from './services/context.ts';
import {
  deleteEndpoint,
  findEndpoint,
  registerEndpoint,
  rotateSecret,
  sendTestEvent,
  updateEndpoint,
} from './services/endpoints.ts';
import { unwrap } from './trunkline-error.ts';
import type { ActionResult, PageResult, WorkspaceApi } from './workspace-api.ts';

/**
 * Implements the operations on one workspace, with responses in the shape of the specification.
 * Refusals are thrown.
 */
export function workspaceFacade(
  context: ServiceContext,
  workspaceId: string,
  actor: Member | null,
): WorkspaceApi<unknown> {
  const instance = (found: Instance): InstanceResource =>
    instanceResource(
      withoutEndedRestriction(found, context.clock.now()),
      context.gateways.capabilities(found),
    );
  const webhook = (endpoint: Endpoint): WebhookResource => webhookResource(endpoint, context.clock.now());
  const named = (id: string): { workspaceId: string; id: string } => ({ workspaceId, id });
  const operate = async (id: string, kind: 'disconnect' | 'logout'): Promise<InstanceResource> => {
    const after = unwrap(await runOperation(context, named(id), { kind }));
    return after ? instance(after) : instance(unwrap(await findInstance(context, workspaceId, id)));
  };

  const { gateways } = context;

  return {
    networks: {
      list: async () => ({
        data: gateways.all.map((gateway) =>
          networkResource(gateway, {
            capabilities: gateways.capabilities(gateway),
            isDefault: gateway.network === gateways.defaultNetwork,
          }),
        ),
      }),
    },
    instances: {
      list: async () => ({ data: (await context.storage.instances.list(workspaceId)).map(instance) }),
      create: async (input = {}) => instance(unwrap(await createInstance(context, workspaceId, input))),
      get: async (id) => instance(unwrap(await findInstance(context, workspaceId, id))),
      update: async (id, input) => instance(unwrap(await updateInstance(context, named(id), input))),
      delete: async (id) => {
        unwrap(await runOperation(context, named(id), { kind: 'delete' }));
      },
      connect: async (id, input = {}) => instance(unwrap(await connectInstance(context, named(id), input))),
      disconnect: (id) => operate(id, 'disconnect'),
      logout: (id) => operate(id, 'logout'),
      qr: async (id) => unwrap(await readQr(context, named(id))),
      passkey: async (id) => unwrap(await readPasskey(context, named(id))),
      answerPasskey: async (id, answer) => instance(unwrap(await answerPasskey(context, named(id), answer))),
      confirmPasskey: async (id) => instance(unwrap(await confirmPasskey(context, named(id)))),
      typing: async (id, input) => {
        unwrap(await showTyping(context, named(id), input));
      },
      lookup: async (id, input) => ({
        data: unwrap(await lookUpNumbers(context, named(id), input)).map(numberLookupResource),
      }),
      groups: async (id) => ({ data: unwrap(await listGroups(context, named(id))).map(groupResource) }),
      createGroup: async (id, input, { idempotencyKey = null } = {}) =>
        unwrap(await createGroup(context, { ...named(id), idempotencyKey }, input)),
      joinGroup: async (id, input) => unwrap(await joinGroup(context, named(id), input)),
      history: async (id, query = {}) =>
        page(unwrap(await listHistory(context, named(id), query)), instanceHistoryResource),
      chats: async (id, query = {}) => page(unwrap(await listChats(context, named(id), query)), chatResource),
      events: async (id, query = {}) =>
        page(unwrap(await listInstanceEvents(context, named(id), query)), eventResource),
    },
    groups: {
      get: async (id) => unwrap(await describeGroup(context, named(id))),
      update: async (id, input) => unwrap(await updateGroup(context, named(id), input)),
      changeParticipants: async (id, input) => ({
        data: unwrap(await changeParticipants(context, named(id), input)),
      }),
      invite: async (id) => unwrap(await groupInvite(context, named(id), 'read_invite')),
      revokeInvite: async (id) => unwrap(await groupInvite(context, named(id), 'revoke_invite')),
      joinRequests: async (id) => ({ data: unwrap(await listJoinRequests(context, named(id))) }),
      decideJoinRequests: async (id, input) => ({
        data: unwrap(await decideJoinRequests(context, named(id), input)),
      }),
      leave: async (id) => {
        unwrap(await leaveGroup(context, named(id)));
      },
    },
    messages: {
      list: async (query = {}) =>
        page(unwrap(await listMessages(context, workspaceId, query)), messageResource),
      send: async (input, { idempotencyKey = null, transaction, traceparent } = {}) => {
        const request = { input, isJoined: transaction !== undefined };
        const sent = await sendWithFile(context, request, (upload) =>
          sendMessage(context, { workspaceId, input, upload, idempotencyKey, transaction, traceparent }),
        );
        const { message, replayed } = unwrap(sent);
        return { message: messageResource(message), replayed };
      },
      upload: async (content, { type, mimeType = null, filename = null } = {}) =>
        unwrap(await openUpload(context, content, { type: asMediaType(type), mimeType, filename })),
      media: async (id) => unwrap(await readMedia(context, workspaceId, id)),
      get: async (id) => messageResource(unwrap(await findMessage(context, workspaceId, id))),
      scheduled: async (query = {}) =>
        page(unwrap(await listScheduled(context, workspaceId, query)), messageResource),
      cancel: async (id) => messageResource(unwrap(await cancelMessage(context, named(id)))),
      standing: async (id) => messageStandingResource(unwrap(await findStanding(context, workspaceId, id))),
      events: async (id, query = {}) =>
        page(unwrap(await listMessageEvents(context, named(id), query)), eventResource),
      react: async (id, input, { idempotencyKey = null } = {}) =>
        acted(await reactToMessage(context, { ...named(id), idempotencyKey }, input)),
      removeReaction: async (id, { idempotencyKey = null } = {}) =>
        acted(await takeReactionBack(context, { ...named(id), idempotencyKey })),
      edit: async (id, input, { idempotencyKey = null } = {}) =>
        acted(await editWords(context, { ...named(id), idempotencyKey }, input)),
      deleteForEveryone: async (id, { idempotencyKey = null } = {}) =>
        acted(await deleteForEveryone(context, { ...named(id), idempotencyKey })),
      markRead: async (id, { idempotencyKey = null } = {}) =>
        acted(await markRead(context, { ...named(id), idempotencyKey })),
      actions: async (id, query = {}) =>
        page(unwrap(await listActions(context, named(id), query)), actionResource),
      votes: async (id, query = {}) => page(unwrap(await listVotes(context, named(id), query)), voteResource),
    },
    contacts: {
      block: async (id) => {
        unwrap(await setBlocked(context, named(id), true));
      },
      unblock: async (id) => {
        unwrap(await setBlocked(context, named(id), false));
      },
    },
    webhooks: {
      list: async () => {
        const endpoints = await context.storage.endpoints.list(workspaceId);
        return { data: endpoints.map(webhook), configured: endpoints.some(isConfigured) };
      },
      create: async (input) => {
        const { endpoint, secret } = unwrap(await registerEndpoint(context, { workspaceId, actor }, input));
        return { ...webhook(endpoint), secret };
      },
      get: async (id) => webhook(unwrap(await findEndpoint(context, workspaceId, id))),
      update: async (id, changes) =>
        webhook(unwrap(await updateEndpoint(context, { ...named(id), actor }, changes))),
      delete: async (id) => {
        unwrap(await deleteEndpoint(context, workspaceId, id));
      },
      rotateSecret: async (id, input = {}) => {
        const { endpoint, secret } = unwrap(await rotateSecret(context, named(id), input));
        return { ...webhook(endpoint), secret };
      },
      test: async (id) => deliveryResource(unwrap(await sendTestEvent(context, named(id)))),
      deliveries: async (id, query = {}) =>
        page(unwrap(await listDeliveries(context, { workspaceId, endpointId: id }, query)), deliveryResource),
      retryFailedDeliveries: async (id) =>
        unwrap(await retryFailedDeliveries(context, { workspaceId, endpointId: id })),
      traffic: async (id, query = {}) =>
        webhookTrafficResource(id, unwrap(await readTrafficOfWebhook(context, named(id), query))),
    },
    traffic: {
      messages: async (query = {}) => {
        const found = unwrap(await readTraffic(context, workspaceId, query));
        return { data: [...found].map(([id, series]) => trafficResource(id, series)) };
      },
      webhooks: async (query = {}) => {
        const found = unwrap(await readWebhookTraffic(context, workspaceId, query));
        return { data: [...found].map(([id, series]) => webhookTrafficResource(id, series)) };
      },
    },
    deliveries: {
      get: async (id) =>
        deliveryDetailResource(unwrap(await findDelivery(context, workspaceId, id)), {
          now: context.clock.now(),
          standardWebhooks: context.settings.standardWebhooks,
        }),
      retry: async (id) => deliveryResource(unwrap(await retryDelivery(context, named(id), 'extra'))),
      tryNow: async (id) => deliveryResource(unwrap(await retryDelivery(context, named(id), 'next'))),
    },
    events: {
      get: async (id) => eventResource(unwrap(await findEvent(context, workspaceId, id))),
      deliveries: async (id) => ({
        data: unwrap(await listEventDeliveries(context, workspaceId, id)).map(deliveryResource),
      }),
      stream: async (query = {}, options = {}) =>
        unwrap(await context.eventStreams.open(workspaceId, query, options)),
    },
  };
}

function acted(result: Result<AcceptedAction>): ActionResult {
  const { action, replayed } = unwrap(result);
  return { action: actionResource(action), replayed };
}

export function page<Row, Resource>(
  found: ListPage<Row>,
  toResource: (row: Row) => Resource,
): PageResult<Resource> {
  const { rows, perPage, nextCursor, prevCursor } = found;
  return { data: rows.map(toResource), perPage, nextCursor, prevCursor };
}
