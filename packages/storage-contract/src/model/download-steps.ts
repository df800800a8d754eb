import fc from 'fast-check';
import type { Lease, Message, PendingDownload } from '@trunkline/core/spi/storage';
import { aDownload, anEvent, anInboundMessage } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { Scenario } from './scenario.ts';

const lease = fc.nat({ max: 2 });
const download = fc.nat({ max: 5 });

const ARRIVED = { available: true, mimeType: 'image/png', size: 12, filename: 'a.png', sha256: 'ab' };

export const downloadSteps: readonly Step[] = [
  step(
    'receive a message whose file has not come',
    fc.record({ lease, wait: fc.constantFrom(0, 500, 5_000), lifetime: fc.constantFrom(1_000, 10_000) }),
    async (scenario, { lease: chosen, wait, lifetime }) => {
      const under = scenario.lease(chosen);
      const receiver = scenario.instances.find(({ id }) => id === under?.instanceId);
      if (!under || !receiver) return null;
      const id = scenario.newId('msg', scenario.now);
      const missing = { ...ARRIVED, available: false, size: null, sha256: null };
      const message = anInboundMessage(receiver, {
        id,
        networkId: `of ${id}`,
        type: 'image',
        media: missing,
        createdAt: scenario.now,
      });
      scenario.messages.push(message);
      const arrival = {
        message,
        senderId: 'sender',
        event: happening(scenario, message),
        download: aDownload(message, { dueAt: scenario.now + wait, expiresAt: scenario.now + lifetime }),
      };
      return ({ storage }) => storage.messages.receive(under, arrival);
    },
  ),

  step('list downloads', fc.nat({ max: 3 }), async (scenario, limit) => {
    const ids = scenario.instances.map(({ id }) => id);
    return async ({ storage }) => ({
      next: await storage.downloads.listNext(ids, limit),
      expired: await storage.downloads.listExpired(scenario.now, limit),
    });
  }),

  step(
    'postpone a download',
    fc.record({ lease, download, wait: fc.constantFrom(0, 5_000) }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const pending = await pick(scenario, under, choice.download);
      if (!under || !pending) return null;
      const { messageId, tries } = pending;
      const postponement = { messageId, tries: tries + 1, dueAt: scenario.now + choice.wait };
      return ({ storage }) => storage.downloads.postpone(under, postponement);
    },
  ),

  step(
    'complete a download',
    fc.record({ lease, download, isReserved: fc.constantFrom(true, true, false) }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const pending = await pick(scenario, under, choice.download);
      const message = pending && (await messageOf(scenario, pending));
      if (!under || !message) return null;
      const uploadId = scenario.newId('upl', scenario.now);
      const completion = {
        message: { ...message, media: { ...ARRIVED, uploadId } },
        event: happening(scenario, message),
      };
      return async ({ storage }) => {
        if (choice.isReserved) await storage.uploads.reserve(uploadId, scenario.now);
        return storage.downloads.complete(under, completion).catch(() => 'rejected');
      };
    },
  ),

  step('remove a download', fc.record({ lease, download }), async (scenario, choice) => {
    const pending = await pick(scenario, scenario.lease(choice.lease), choice.download);
    return pending && (({ storage }) => storage.downloads.remove(pending.instanceId, pending.messageId));
  }),
];

async function pick(
  scenario: Scenario,
  under: Lease | null,
  choice: number,
): Promise<PendingDownload | null> {
  if (!under) return null;
  const { downloads } = scenario.model.storage;
  return scenario.pick(await downloads.list(under.instanceId, { after: null, limit: 10 }), choice);
}

function messageOf(
  { model }: Scenario,
  { workspaceId, messageId }: PendingDownload,
): Promise<Message | null> {
  return model.storage.messages.find(workspaceId, messageId);
}

function happening(scenario: Scenario, { workspaceId }: Message) {
  const id = scenario.newId('evt', scenario.now);
  return anEvent({ id: workspaceId }, scenario.now, { id, payload: `the bytes of ${id}` });
}
