import type { Gateway } from '@trunkline/core';
import { describeGatewayContract } from '../src/index.ts';
import { sandboxNetwork } from './support/sandbox-network.ts';

/** A gateway that declares only text, and reports no groups. */
function textOnly(gateway: Gateway): Gateway {
  return {
    ...gateway,
    capabilities: ['text'],
    open: (session, listener) => gateway.open(session, { ...listener, groups: async () => {} }),
  };
}

const files = 'the network carries no files';

describeGatewayContract({
  name: 'text-only',
  missing: {
    image: files,
    document: files,
    audio: files,
    video: files,
    stickers: files,
    locations: 'the network carries texts alone',
    contacts: 'the network carries texts alone',
    polls: 'the network carries texts alone',
    mentions: 'the network carries texts alone',
    reactions: 'the network carries messages alone',
    edits: 'the network carries messages alone',
    deletions: 'the network carries messages alone',
    read_marks: 'the network carries messages alone',
    typing: 'the network carries messages alone',
    lookup: 'the network carries messages alone',
    block: 'the network carries messages alone',
    group_admin: 'the network carries messages alone',
    join_requests: 'the network carries messages alone',
    groups: 'the network has no groups',
    pairing_codes: 'the network links by a QR alone',
    passkeys: 'the network knows no passkeys',
    receipts: 'the network reports nothing that it has accepted',
    activities: 'the network carries messages alone',
  },
  // The sandbox accepts messages to this number, but sends no receipts for them.
  start: async () => sandboxNetwork('15550001', textOnly),
});
