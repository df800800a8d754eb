import { describeGatewayContract } from '@trunkline/gateway-contract';
import { startBaileysNetwork } from './support/baileys-network.ts';

describeGatewayContract({
  name: 'Baileys',
  missing: { file_references: 'the gateway downloads files while their messages arrive' },
  start: startBaileysNetwork,
});
