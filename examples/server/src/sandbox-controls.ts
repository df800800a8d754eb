import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { checkSuspension, unwrap } from '@trunkline/core';
import type { Storage, Trunkline, WorkspaceApi } from '@trunkline/core';
import type { SandboxMessage } from '@trunkline/core/sandbox';
import { errorAnswer, refused } from './error-answer.ts';
import { groupInput, inboundInput, noInput, readInput, scanInput } from './sandbox-inputs.ts';
import type { Inbound } from './sandbox-inputs.ts';
import type { ControlledPhone, SandboxNetwork } from './sandbox-network.ts';

export interface SandboxControls {
  readonly trunkline: Pick<Trunkline, 'authenticate' | 'as'>;
  readonly storage: Pick<Storage, 'instances'>;
  /** Null where another process has the network. */
  readonly phone: SandboxNetwork['phone'];
}

/** The phone in the user's hand, and the instance that it is linked with. */
interface Phone {
  readonly phone: ControlledPhone;
  readonly instanceId: string;
  readonly api: WorkspaceApi;
  /** The sandbox network's own name of a group. */
  groupNetworkId(groupId: string): Promise<string>;
}

/** Lets the user do what a person with a phone would do (docs/sandbox.md). Any API key of the instance's workspace will do. */
export function addSandboxControls(app: Hono, controls: SandboxControls): void {
  const control = <Input>(
    name: string,
    schema: z.ZodType<Input, unknown>,
    act: (on: Phone, input: Input) => Promise<object>,
  ): void => {
    const path = `/sandbox/instances/:instance/${name}` as const;
    app.post(path, smallBodies, async (c) => {
      const principal = await controls.trunkline.authenticate(c.req.header('Authorization') ?? null);
      unwrap(checkSuspension(principal.workspace));
      const input = await readInput(c, schema);
      const api = controls.trunkline.as(principal);
      const { id } = await api.instances.get(c.req.param('instance'));
      const on = phoneOf(controls, { api, instanceId: id, workspaceId: principal.workspace.id });
      return c.json({ data: await act(on, input) }, 202);
    });
    app.all(path, postOnly);
  };

  control('scan', scanInput, async ({ phone, api, instanceId }, { phone_number, profile_name }) => {
    await phone.scan({ phoneNumber: phone_number, profileName: profile_name });
    return api.instances.get(instanceId);
  });
  control('messages', inboundInput, async (on, input) => {
    return { network_id: await on.phone.receive(await sandboxMessage(on, input)) };
  });
  control('groups', groupInput, async ({ phone, api, instanceId }, { name, participants_count }) => {
    const before = new Set((await api.instances.groups(instanceId)).map(({ id }) => id));
    await phone.addGroup({ name, participantsCount: participants_count });
    const added = (await api.instances.groups(instanceId)).find(
      (group) => group.name === name && !before.has(group.id),
    );
    if (!added) throw new Error('A group that the sandbox reported is not listed.');
    return added;
  });
  for (const action of ['drop', 'unlink', 'fail'] as const) {
    control(action, noInput, async ({ phone, api, instanceId }) => {
      await phone[action]();
      return api.instances.get(instanceId);
    });
  }
}

function phoneOf(
  { phone, storage }: SandboxControls,
  { api, instanceId, workspaceId }: { api: WorkspaceApi; instanceId: string; workspaceId: string },
): Phone {
  if (!phone)
    throw refused('GATEWAY_UNAVAILABLE', 'The sandbox network is in another process: ask that one.');
  return {
    phone: phone(instanceId),
    instanceId,
    api,
    async groupNetworkId(groupId) {
      const group = await storage.instances.findGroup(workspaceId, instanceId, groupId);
      if (!group) throw refused('GROUP_NOT_FOUND', 'This instance is in no such group.');
      return group.networkId;
    },
  };
}

async function sandboxMessage({ groupNetworkId }: Phone, input: Inbound): Promise<SandboxMessage> {
  const { from, group_id } = input;
  const addressed = {
    from,
    ...(group_id !== undefined && { groupNetworkId: await groupNetworkId(group_id) }),
  };
  if (input.file === undefined) return { ...addressed, text: input.text };
  const { file, type, caption } = input;
  const content = new Uint8Array(await file.arrayBuffer());
  return { ...addressed, text: caption, file: { type, content, mimeType: file.type, filename: file.name } };
}

/** What a video may have, and the rest of its form. */
const LARGEST_BODY = 17 * 1_048_576;

const smallBodies = bodyLimit({
  maxSize: LARGEST_BODY,
  onError: (c) =>
    errorAnswer(c, refused('PAYLOAD_TOO_LARGE', `The body is larger than ${LARGEST_BODY} bytes.`)),
});

function postOnly(c: Context): Response {
  c.header('Allow', 'POST');
  return errorAnswer(c, refused('METHOD_NOT_ALLOWED', 'This path has POST.'));
}
