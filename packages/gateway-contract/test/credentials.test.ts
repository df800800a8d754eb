import { describeGatewayContract } from '../src/index.ts';
import { PHONE_NUMBER, sandboxNetwork } from './support/sandbox-network.ts';

const valid = { phone_number: PHONE_NUMBER, access_token: 'sandbox-token' };

describeGatewayContract({
  name: 'linked by credentials',
  missing: {
    pairing_codes: 'no phone is linked',
    passkeys: 'no phone is linked',
  },
  credentials: { valid, refused: { ...valid, access_token: 'another-token' } },
  start: async () => sandboxNetwork('15550142', undefined, { linkedBy: 'credentials' }),
});
