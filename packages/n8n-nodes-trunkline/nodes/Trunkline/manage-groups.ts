import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from './api-error.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { idOf, listOf, textOf } from './parameters.ts';
import { path, requestJson } from './request.ts';
import type { ApiRequest } from './request.ts';

type Item = [context: IExecuteFunctions, itemIndex: number];

/** Creates the group once, however often n8n tries. */
export function createGroup(...item: Item): Promise<IDataObject> {
  const [context, itemIndex] = item;
  const instance = idOf(context, 'instance', itemIndex);
  return one(item, {
    method: 'POST',
    path: path`/instances/${instance}/groups`,
    headers: { 'Idempotency-Key': idempotencyKey(context, itemIndex) },
    body: {
      name: textOf(context, 'groupName', itemIndex),
      participants: listOf(context, 'participants', itemIndex),
    },
  });
}

export function joinGroup(...item: Item): Promise<IDataObject> {
  const [context, itemIndex] = item;
  const instance = idOf(context, 'instance', itemIndex);
  const body = { invite: textOf(context, 'invite', itemIndex).trim() };
  return one(item, { method: 'POST', path: path`/instances/${instance}/groups/join`, body });
}

export function getGroup(...item: Item): Promise<IDataObject> {
  return one(item, { method: 'GET', path: groupPath(item) });
}

/** Changes only what is given. */
export function updateGroup(...item: Item): Promise<IDataObject> {
  const [context, itemIndex] = item;
  const given: unknown = context.getNodeParameter('groupChanges', itemIndex, {});
  const body = isObject(given) ? given : {};
  return one(item, { method: 'PATCH', path: groupPath(item), body });
}

export function groupInvite(...item: Item): Promise<IDataObject> {
  return one(item, { method: 'GET', path: `${groupPath(item)}/invite` });
}

/** The response has no body, so the item says what was done. */
export async function leaveGroup(...item: Item): Promise<IDataObject> {
  await one(item, { method: 'POST', path: `${groupPath(item)}/leave` });
  return { group: textOf(item[0], 'groupId', item[1]).trim(), left: true };
}

/** An item for each participant. */
export function changeParticipants(...item: Item): Promise<readonly IDataObject[]> {
  const [context, itemIndex] = item;
  const body = {
    change: textOf(context, 'participantChange', itemIndex),
    participants: listOf(context, 'participants', itemIndex),
  };
  return many(item, { method: 'POST', path: `${groupPath(item)}/participants`, body });
}

export function joinRequests(...item: Item): Promise<readonly IDataObject[]> {
  return many(item, { method: 'GET', path: `${groupPath(item)}/join-requests` });
}

/** An item for each participant. */
export function decideJoinRequests(...item: Item): Promise<readonly IDataObject[]> {
  const [context, itemIndex] = item;
  const body = {
    decision: textOf(context, 'joinDecision', itemIndex),
    participants: listOf(context, 'participants', itemIndex),
  };
  return many(item, { method: 'POST', path: `${groupPath(item)}/join-requests`, body });
}

function groupPath([context, itemIndex]: Item): string {
  return path`/groups/${textOf(context, 'groupId', itemIndex).trim()}`;
}

async function one([context, itemIndex]: Item, request: ApiRequest): Promise<IDataObject> {
  const { data } = await requestJson(context, { ...request, itemIndex });
  return isObject(data) ? data : {};
}

async function many([context, itemIndex]: Item, request: ApiRequest): Promise<readonly IDataObject[]> {
  const { data } = await requestJson(context, { ...request, itemIndex });
  return Array.isArray(data) ? data.filter(isObject) : [];
}
