import type { Context, Hono } from 'hono';
import * as z from 'zod';
import { TrunklineError } from '@trunkline/core';
import type { Logger, Storage, Trunkline, WorkspaceApi } from '@trunkline/core';
import { invalid } from '@trunkline/core/spi/http';
import type { SandboxDeed, SandboxMessage } from '@trunkline/core/sandbox';
import type { RequestGuard } from '@trunkline/http';
import { errorResponse, refused } from '../errors/error-response.ts';
import {
  callInput,
  deletionInput,
  echoInput,
  editInput,
  groupInput,
  inboundInput,
  joinRequestInput,
  noInput,
  offerInput,
  reactionInput,
  readInput,
  scanInput,
  undecryptableInput,
  voteInput,
} from './sandbox-inputs.ts';
import type { Inbound } from './sandbox-inputs.ts';
import type { ControlledPhone, Networks } from './networks.ts';

export interface SandboxControls {
  readonly trunkline: Pick<Trunkline, 'as'>;
  /** Admits each request. The API's guard counts requests to the controls towards the API's rate limit. */
  readonly guard: RequestGuard;
  readonly logger: Logger;
  readonly storage: Pick<Storage, 'groups' | 'messages'>;
  readonly phone: Networks['phone'];
}

/** A simulated phone, controlled by requests, and the instance that it is linked to. */
interface Phone {
  readonly phone: ControlledPhone;
  readonly instanceId: string;
  readonly api: WorkspaceApi;
  /** The sandbox network's id of a group. */
  groupNetworkId(groupId: string): Promise<string>;
  /** Translates an action on a message to the network's ids. */
  deed(deed: { readonly message: string; readonly from?: string | undefined }): Promise<SandboxDeed>;
  /** The sandbox network's id of a message. */
  messageNetworkId(messageId: string): Promise<string>;
}

/** Lets the user act as a person with a phone (docs/sandbox.md). API keys need the scope `instances:write`. */
export function addSandboxControls(app: Hono, controls: SandboxControls): void {
  const control = <Input>(
    name: string,
    schema: z.ZodType<Input, unknown>,
    act: (on: Phone, input: Input) => Promise<object>,
  ): void => {
    const path = `/sandbox/instances/:instance/${name}` as const;
    app.post(path, async (c) => {
      // Runs before the body is read, because the sender has not been authenticated yet.
      const principal = await controls.guard.admit(c.req.raw, {
        scope: 'instances:write',
        onRateLimit(headers) {
          for (const [header, value] of Object.entries(headers)) c.header(header, value);
        },
        onStoreFailure: (err) =>
          controls.logger.error(
            { err, path: c.req.path },
            'the store of the rate limit failed: this process counts requests for itself until the store responds; check the store',
          ),
      });
      const maxBytes = name === 'messages' ? LARGEST_MESSAGE : LARGEST_BODY;
      const input = await readInput(c, schema, { maxBytes, logger: controls.logger });
      const api = controls.trunkline.as(principal);
      const { id, network } = await api.instances.get(c.req.param('instance'));
      const { data: all } = await api.networks.list();
      if (all.some(({ name, simulated }) => name === network && !simulated))
        throw refused(
          'INVALID_INSTANCE_STATE',
          `The phone of this instance is not simulated: it is on the network ${network}.`,
        );
      const on = phoneOf(controls, { api, id, network, workspaceId: principal.workspace.id });
      return c.json({ data: await act(on, input) }, 202);
    });
    app.all(path, postOnly);
  };

  control('scan', scanInput, async ({ phone, api, instanceId }, { phone_number, profile_name, passkey }) => {
    await phone.scan({ phoneNumber: phone_number, profileName: profile_name, passkey });
    return api.instances.get(instanceId);
  });
  control('passkey', noInput, ({ phone }) => phone.signPasskey());
  control('messages', inboundInput, async (on, input) => {
    return { network_id: await on.phone.receive(await sandboxMessage(on, input)) };
  });
  control('groups', groupInput, async ({ phone, api, instanceId }, { name, participants_count }) => {
    const before = new Set((await api.instances.groups(instanceId)).data.map(({ id }) => id));
    await phone.addGroup({ name, participantsCount: participants_count });
    const added = (await api.instances.groups(instanceId)).data.find(
      (group) => group.name === name && !before.has(group.id),
    );
    if (!added)
      throw new Error(
        `The group that was added to ${instanceId} is not listed: another request unlinked the instance meanwhile, or this is a defect.`,
      );
    return added;
  });
  control('group-offers', offerInput, async ({ phone }, { name, asks_admin }) => {
    return { link: await phone.offerGroup({ name, asksAdmin: asks_admin }) };
  });
  control('join-requests', joinRequestInput, async (on, { group_id, from }) => {
    await on.phone.askToJoin(await on.groupNetworkId(group_id), from);
    return (await on.api.groups.joinRequests(group_id)).data;
  });
  control('reactions', reactionInput, async ({ phone, deed, api }, { emoji, ...input }) => {
    await phone.react({ ...(await deed(input)), emoji });
    return api.messages.get(input.message);
  });
  control('votes', voteInput, async ({ phone, deed, api }, { options, ...input }) => {
    await phone.vote({ ...(await deed(input)), options });
    return api.messages.get(input.message);
  });
  control('edits', editInput, async ({ phone, deed, api }, { text, ...input }) => {
    await phone.edit({ ...(await deed(input)), text });
    return api.messages.get(input.message);
  });
  control('deletions', deletionInput, async ({ phone, deed, api }, input) => {
    await phone.delete(await deed(input));
    return api.messages.get(input.message);
  });
  control('echoes', echoInput, async (on, { to, text, group_id }) => {
    return { network_id: await on.phone.write({ to, text, ...(await inGroup(on, group_id)) }) };
  });
  control('calls', callInput, async (on, { from, video, group_id }) => {
    await on.phone.call({ from, video, ...(await inGroup(on, group_id)) });
    return on.api.instances.get(on.instanceId);
  });
  control('undecryptable-messages', undecryptableInput, async (on, { from, reason, group_id }) => {
    const message = { from, reason, ...(await inGroup(on, group_id)) };
    return { network_id: await on.phone.receiveUndecryptable(message) };
  });
  for (const action of ['drop', 'unlink', 'fail'] as const) {
    control(action, noInput, async ({ phone, api, instanceId }) => {
      await phone[action]();
      return api.instances.get(instanceId);
    });
  }
}

function phoneOf(
  { phone: phoneBehind, storage }: SandboxControls,
  {
    api,
    id: instanceId,
    network,
    workspaceId,
  }: { api: WorkspaceApi; id: string; network: string; workspaceId: string },
): Phone {
  const phone = phoneBehind({ id: instanceId, network });
  if (!phone)
    throw refused(
      'GATEWAY_UNAVAILABLE',
      'The sandbox network is in another process: send the request to that one.',
    );
  return {
    phone,
    instanceId,
    api,
    async groupNetworkId(groupId) {
      const group = await storage.groups.find(workspaceId, instanceId, groupId);
      if (!group)
        throw refused(
          'GROUP_NOT_FOUND',
          'This instance is in no such group: add it with POST /sandbox/instances/{id}/groups first.',
        );
      return group.networkId;
    },
    async deed({ message: id, from }) {
      await api.messages.get(id);
      const found = await storage.messages.findQuotable(instanceId, id);
      if (!found) throw refused('MESSAGE_NOT_FOUND', 'This instance has no such message.');
      const { networkId, direction, groupId, to, from: number } = found.message;
      const group = groupId === null ? null : await storage.groups.find(workspaceId, instanceId, groupId);
      const isOwn = direction === 'outbound';
      // Senders who hide their number are identified by their network id.
      const author = isOwn ? null : (number ?? found.senderId);
      return {
        about: networkId,
        from,
        message: {
          author,
          groupNetworkId: group?.networkId ?? null,
          contact: isOwn ? to : author,
        },
      };
    },
    async messageNetworkId(messageId) {
      const found = await storage.messages.findQuotable(instanceId, messageId);
      if (!found)
        throw new TrunklineError(
          invalid({ reply_to: ['Must be the id of a message of this instance.'] }).refusal,
        );
      return found.message.networkId;
    },
  };
}

async function inGroup(
  { groupNetworkId }: Phone,
  groupId: string | undefined,
): Promise<{ readonly groupNetworkId?: string }> {
  return groupId === undefined ? {} : { groupNetworkId: await groupNetworkId(groupId) };
}

async function sandboxMessage(on: Phone, input: Inbound): Promise<SandboxMessage> {
  const { from, sender, group_id, reply_to } = input;
  const addressed = {
    from,
    sender: sender && { networkId: sender.network_id, name: sender.name, username: sender.username },
    detail: input.detail,
    sentAt: input.sent_at,
    networkId: input.network_id,
    ...(reply_to !== undefined && { replyTo: await on.messageNetworkId(reply_to) }),
    ...(await inGroup(on, group_id)),
  };
  if (input.file === undefined) return { ...addressed, text: input.text };
  const { file, type, caption, delay_seconds } = input;
  const content = new Uint8Array(await file.arrayBuffer());
  const delayMs = delay_seconds === undefined ? undefined : delay_seconds * 1000;
  return {
    ...addressed,
    text: caption,
    file: { type, content, mimeType: file.type, filename: file.name, delayMs },
  };
}

const LARGEST_BODY = 1_048_576;
/** In bytes: the size limit of a video, plus the form's other fields. */
const LARGEST_MESSAGE = 17 * 1_048_576;

function postOnly(c: Context): Response {
  c.header('Allow', 'POST');
  return errorResponse(c, refused('METHOD_NOT_ALLOWED', 'This path has POST.'));
}
