import { describeGatewayContract } from '@trunkline/gateway-contract';
import { carrierGateway } from '../src/carrier-gateway.ts';
import { PEOPLE, startCarrier } from './support/carrier.ts';

describeGatewayContract({
  name: 'carrier',
  missing: {
    activities: 'the carrier carries messages and receipts alone',
    locations: 'the carrier carries texts and files alone',
    contacts: 'the carrier carries texts and files alone',
    polls: 'the carrier carries texts and files alone',
    stickers: 'the carrier carries texts and files alone',
    mentions: 'the carrier carries texts and files alone',
    reactions: 'the carrier carries messages and receipts alone',
    edits: 'the carrier carries messages and receipts alone',
    deletions: 'the carrier carries messages and receipts alone',
    read_marks: 'the carrier carries messages and receipts alone',
    typing: 'the carrier carries messages and receipts alone',
    lookup: 'the carrier carries messages and receipts alone',
    block: 'the carrier carries messages and receipts alone',
    group_admin: 'the carrier carries messages and receipts alone',
    join_requests: 'the carrier carries messages and receipts alone',
    passkeys: 'the carrier knows no passkeys',
  },
  async start() {
    const { url, phone, stop } = await startCarrier();
    return { gateway: carrierGateway(url), people: PEOPLE, phone: () => phone, stop };
  },
});
