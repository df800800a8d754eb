import { createSandbox } from '@trunkline/core/sandbox';
import { describeGatewayContract } from '../src/index.ts';

describeGatewayContract({
  name: 'sandbox',
  async start() {
    const sandbox = createSandbox();
    return {
      gateway: sandbox.gateway,
      people: { reader: '15550142', refused: '15550003' },
      phone(instanceId) {
        const phone = sandbox.phone(instanceId);
        const phoneNumber = '15550199';
        return {
          phoneNumber,
          scan: () => phone.scan({ phoneNumber }),
          enterCode: () => phone.scan({ phoneNumber }),
          receive: ({ from, text, file, groupNetworkId }) =>
            phone.receive({ from, text, file, groupNetworkId }),
          addGroup: (name) => phone.addGroup({ name, participantsCount: 3 }),
          leaveGroup: (networkId) => phone.leaveGroup(networkId),
          drop: () => phone.drop(),
          unlink: () => phone.unlink(),
          fail: () => phone.fail(),
          accepted: () =>
            phone.accepted().map(({ networkId, to, text, file }) => ({ networkId, to, text, file })),
        };
      },
      async stop() {},
    };
  },
});
