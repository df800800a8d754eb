import type { MediaType, OutgoingContent, OutgoingMessage } from '@trunkline/core/spi/gateway';
import { silentLogger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { onTestFinished } from 'vitest';
import type { GatewaySubject, TestNetwork, TestPhone } from './contract-subject.ts';
import { memorySession } from './memory-session.ts';
import type { MemorySession } from './memory-session.ts';
import { openLink } from './test-link.ts';
import type { TestLink } from './test-link.ts';

export const INSTANCE = 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c';

export interface Fixture {
  readonly network: TestNetwork;
  readonly phone: TestPhone;
  readonly session: MemorySession;
  /** Opens another connection, by default on the stored session. The connection ends with the test. */
  open(session?: MemorySession): Promise<TestLink>;
}

export async function startFixture(subject: GatewaySubject): Promise<Fixture> {
  const network = await subject.start();
  const links: TestLink[] = [];
  onTestFinished(async () => {
    for (const link of links) await link.connection().close();
    await network.stop();
  });
  network.gateway.attach({ clock: systemClock(), random: systemRandom(), logger: silentLogger });
  const session = memorySession(INSTANCE);
  return {
    network,
    session,
    phone: network.phone(INSTANCE),
    async open(stored = session) {
      const link = await openLink(network.gateway, stored, {
        credentials: subject.credentials?.valid ?? null,
      });
      links.push(link);
      return link;
    },
  };
}

export async function linkedFixture(subject: GatewaySubject): Promise<Fixture & { readonly link: TestLink }> {
  const fixture = await startFixture(subject);
  const link = await fixture.open();
  if (!subject.credentials) await fixture.phone.scan((await link.first('qr')).code);
  await link.first('connected');
  return { ...fixture, link };
}

let sent = 0;

/** A message to be sent, with an id in the network's own form. */
export function outgoing(
  { gateway, people }: TestNetwork,
  changes: Partial<OutgoingMessage> = {},
): OutgoingMessage {
  const random = new Uint8Array(16);
  new DataView(random.buffer).setUint32(0, (sent += 1));
  return {
    networkId: gateway.newMessageId(random),
    to: people.reader,
    isGroup: false,
    content: { type: 'text', text: 'Hello' },
    ...changes,
  };
}

export function fileContent(
  type: MediaType,
  file: { readonly mimeType: string; readonly filename: string; readonly content: Uint8Array<ArrayBuffer> },
): OutgoingContent {
  const { mimeType, filename, content } = file;
  return {
    type,
    caption: type === 'audio' ? null : `a ${type}`,
    file: { mimeType, filename, size: content.length, open: async () => new Blob([content]).stream() },
  };
}
