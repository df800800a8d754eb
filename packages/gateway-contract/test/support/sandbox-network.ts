import type { Gateway } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { SandboxOptions } from '@trunkline/core/sandbox';
import type { TestNetwork } from '../../src/index.ts';

export const PHONE_NUMBER = '15550199';

/** `gatewayTo` may wrap the sandbox's gateway to remove features. */
export function sandboxNetwork(
  reader: string,
  gatewayTo: (sandbox: Gateway) => Gateway = (gateway) => gateway,
  options: SandboxOptions = {},
): TestNetwork {
  const sandbox = createSandbox(options);
  return {
    gateway: gatewayTo(sandbox.gateway),
    people: { reader, refused: '15550003' },
    phone(instanceId) {
      const phone = sandbox.phone(instanceId);
      return {
        phoneNumber: PHONE_NUMBER,
        scan: () => phone.scan({ phoneNumber: PHONE_NUMBER }),
        enterCode: () => phone.scan({ phoneNumber: PHONE_NUMBER }),
        passkey: {
          scan: () => phone.scan({ phoneNumber: PHONE_NUMBER, passkey: true }),
          async sign({ challenge }) {
            const signed = await phone.signPasskey();
            const clientDataJSON = Buffer.from(
              JSON.stringify({ type: 'webauthn.get', challenge, origin: 'http://localhost' }),
            ).toString('base64url');
            return { ...signed, response: { ...signed.response, clientDataJSON } };
          },
        },
        receive: ({ from, text, file, groupNetworkId }) =>
          phone.receive({ from, text, file, groupNetworkId }),
        addGroup: (name) => phone.addGroup({ name, participantsCount: 3 }),
        leaveGroup: (networkId) => phone.leaveGroup(networkId),
        askToJoin: (networkId, number) => phone.askToJoin(networkId, number),
        activities: {
          write: (message) => phone.write(message),
          react: (reaction) => phone.react(reaction),
          vote: (vote) => phone.vote(vote),
          edit: (edit) => phone.edit(edit),
          delete: (deletion) => phone.delete(deletion),
          call: (call) => phone.call(call),
          receiveUndecryptable: (message) => phone.receiveUndecryptable(message),
        },
        drop: () => phone.drop(),
        unlink: () => phone.unlink(),
        fail: () => phone.fail(),
        accepted: () =>
          phone.accepted().map(({ networkId, to, text, file, detail, mentions }) => ({
            networkId,
            to,
            text,
            file,
            ...(detail && { detail }),
            ...(mentions && { mentions: mentions.flatMap(({ number }) => number ?? []) }),
          })),
        acted: () =>
          phone.acted().map(({ networkId, about, author, deed }) => ({
            networkId,
            about,
            isOwn: author === null,
            deed,
          })),
        read: () => phone.read(),
        blocked: () => phone.blocked(),
        typing: () => phone.typing(),
      };
    },
    async stop() {},
  };
}
