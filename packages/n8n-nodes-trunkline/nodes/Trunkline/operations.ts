import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { asText } from './as-text.ts';
import { listAll, listPages } from './list-items.ts';
import { idOf, limitOf, textOf } from './parameters.ts';
import { setBlocked } from './block-contact.ts';
import { lookUp } from './look-up.ts';
import {
  changeParticipants,
  createGroup,
  decideJoinRequests,
  getGroup,
  groupInvite,
  joinGroup,
  joinRequests,
  leaveGroup,
  updateGroup,
} from './manage-groups.ts';
import { path, requestBytes, requestJson } from './request.ts';
import type { ApiRequest } from './request.ts';
import { deleteForEveryone, editMessage, markRead, react } from './message-actions.ts';
import { sendContact, sendLocation, sendMedia, sendPoll, sendText } from './send-message.ts';
import { showTyping } from './show-typing.ts';

/** Processes one item and returns the resulting items. */
export type Operation = (
  context: IExecuteFunctions,
  itemIndex: number,
) => Promise<readonly INodeExecutionData[]>;

/** By `resource:operation`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'message:sendText': async (...item) => [{ json: await sendText(...item) }],
  'message:sendContact': async (...item) => [{ json: await sendContact(...item) }],
  'message:sendLocation': async (...item) => [{ json: await sendLocation(...item) }],
  'message:sendPoll': async (...item) => [{ json: await sendPoll(...item) }],
  'message:sendMedia': async (...item) => [{ json: await sendMedia(...item) }],
  'message:get': async (context, itemIndex) => [
    await getOne(context, { path: path`/messages/${messageOf(context, itemIndex)}`, itemIndex }),
  ],
  'message:getAll': async (context, itemIndex) =>
    asItems(
      await listPages(context, {
        path: '/messages',
        query: messageFilters(context, itemIndex),
        limit: limitOf(context, itemIndex),
        itemIndex,
      }),
    ),
  'message:getScheduled': async (context, itemIndex) =>
    asItems(
      await listPages(context, {
        path: '/scheduled-messages',
        limit: limitOf(context, itemIndex),
        itemIndex,
      }),
    ),
  'message:cancel': async (context, itemIndex) => [
    await getOne(context, {
      method: 'DELETE',
      path: path`/messages/${messageOf(context, itemIndex)}`,
      itemIndex,
    }),
  ],
  'message:downloadMedia': downloadMedia,
  'contact:block': async (...item) => [{ json: await setBlocked(...item, true) }],
  'contact:unblock': async (...item) => [{ json: await setBlocked(...item, false) }],
  'message:deleteForEveryone': async (...item) => [{ json: await deleteForEveryone(...item) }],
  'message:edit': async (...item) => [{ json: await editMessage(...item) }],
  'message:markRead': async (...item) => [{ json: await markRead(...item) }],
  'message:react': async (...item) => [{ json: await react(...item) }],
  'message:showTyping': async (...item) => [{ json: await showTyping(...item) }],
  'instance:get': async (context, itemIndex) => [
    await getOne(context, { path: path`/instances/${instanceOf(context, itemIndex)}`, itemIndex }),
  ],
  'instance:getAll': async (context, itemIndex) =>
    asItems(await listAll(context, { path: '/instances', limit: limitOf(context, itemIndex), itemIndex })),
  'instance:connect': async (context, itemIndex) => [
    await getOne(context, {
      method: 'POST',
      path: path`/instances/${instanceOf(context, itemIndex)}/connect`,
      itemIndex,
    }),
  ],
  'instance:getQr': getQr,
  'instance:lookUp': async (...item) => asItems(await lookUp(...item)),
  'group:changeParticipants': async (...item) => asItems(await changeParticipants(...item)),
  'group:create': async (...item) => [{ json: await createGroup(...item) }],
  'group:decideJoinRequests': async (...item) => asItems(await decideJoinRequests(...item)),
  'group:get': async (...item) => [{ json: await getGroup(...item) }],
  'group:getInvite': async (...item) => [{ json: await groupInvite(...item) }],
  'group:getJoinRequests': async (...item) => asItems(await joinRequests(...item)),
  'group:join': async (...item) => [{ json: await joinGroup(...item) }],
  'group:leave': async (...item) => [{ json: await leaveGroup(...item) }],
  'group:update': async (...item) => [{ json: await updateGroup(...item) }],
  'group:getAll': async (context, itemIndex) =>
    asItems(
      await listAll(context, {
        path: path`/instances/${instanceOf(context, itemIndex)}/groups`,
        limit: limitOf(context, itemIndex),
        itemIndex,
      }),
    ),
  'chat:getAll': async (context, itemIndex) =>
    asItems(
      await listPages(context, {
        path: path`/instances/${instanceOf(context, itemIndex)}/chats`,
        limit: limitOf(context, itemIndex),
        itemIndex,
      }),
    ),
};

/** The message, with its file in the binary property that the user names. */
async function downloadMedia(...item: Parameters<Operation>): Promise<INodeExecutionData[]> {
  const [context, itemIndex] = item;
  const id = messageOf(context, itemIndex);
  const { json } = await getOne(context, { path: path`/messages/${id}`, itemIndex });
  const content = await requestBytes(context, {
    method: 'GET',
    path: path`/messages/${id}/media`,
    itemIndex,
  });
  const { filename, mime_type: mimeType } = isObject(json['media']) ? json['media'] : {};
  return [{ json, binary: await binaryOf(item, content, { filename, mimeType }) }];
}

/** The QR both as text and as a picture. */
async function getQr(...item: Parameters<Operation>): Promise<INodeExecutionData[]> {
  const [context, itemIndex] = item;
  const { json } = await getOne(context, {
    path: path`/instances/${instanceOf(context, itemIndex)}/qr`,
    itemIndex,
  });
  const { svg, ...code } = json;
  const picture = { filename: 'qr.svg', mimeType: 'image/svg+xml' };
  return [{ json: code, binary: await binaryOf(item, Buffer.from(asText(svg)), picture) }];
}

async function binaryOf(
  [context, itemIndex]: Parameters<Operation>,
  content: Buffer,
  { filename, mimeType }: { readonly filename: unknown; readonly mimeType: unknown },
): Promise<NonNullable<INodeExecutionData['binary']>> {
  const property = textOf(context, 'binaryPropertyName', itemIndex);
  const name = typeof filename === 'string' ? filename : undefined;
  const type = typeof mimeType === 'string' ? mimeType : undefined;
  return { [property]: await context.helpers.prepareBinaryData(content, name, type) };
}

async function getOne(
  context: IExecuteFunctions,
  request: Omit<ApiRequest, 'method'> & Partial<Pick<ApiRequest, 'method'>>,
): Promise<{ json: IDataObject }> {
  const { data } = await requestJson(context, { method: 'GET', ...request });
  return { json: isObject(data) ? data : {} };
}

function asItems(found: readonly IDataObject[]): { json: IDataObject }[] {
  return found.map((json) => ({ json }));
}

function messageOf(context: IExecuteFunctions, itemIndex: number): string {
  return textOf(context, 'messageId', itemIndex).trim();
}

function instanceOf(context: IExecuteFunctions, itemIndex: number): string {
  return idOf(context, 'instance', itemIndex);
}

/** Omits empty filters, which the API refuses. */
function messageFilters(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const filters: unknown = context.getNodeParameter('filters', itemIndex, {});
  const given = Object.entries(isObject(filters) ? filters : {})
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(asText).join(',') : value] as const)
    .filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}
