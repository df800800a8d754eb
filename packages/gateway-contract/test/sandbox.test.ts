import { describeGatewayContract } from '../src/index.ts';
import { sandboxNetwork } from './support/sandbox-network.ts';

describeGatewayContract({ name: 'sandbox', start: async () => sandboxNetwork('15550142') });
