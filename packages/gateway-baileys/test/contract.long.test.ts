import { describeGatewayContract } from '@trunkline/gateway-contract';
import { startBaileysNetwork } from './support/baileys-network.ts';

describeGatewayContract({
  name: 'Baileys',
  start: startBaileysNetwork,
});
