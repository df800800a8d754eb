import { describe, expect, it } from 'vitest';
import { exampleInstance, exampleMessage, exampleWorkspace } from '../../../test/support/examples.ts';
import type { Instance } from '../instance/instance.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Message } from './message.ts';
import { STANDINGS, standingOf } from './message-standing.ts';

const at = (time: string): number => Date.parse(`2026-11-20T${time}Z`);
const NOW = at('15:30:00');

const workspace = exampleWorkspace();
const connected = exampleInstance({
  status: 'connected',
  desired: 'running',
  statusChangedAt: at('09:00:00'),
});

interface Around {
  readonly isPaced?: boolean;
  readonly instance?: Partial<Instance> | null;
  readonly workspace?: Partial<Workspace>;
}

function stand(message: Partial<Message>, around: Around = {}) {
  const whole = exampleMessage({ createdAt: at('14:00:00'), ...message });
  return standingOf(whole, {
    hasGateway: true,
    isPaced: around.isPaced ?? false,
    instance: around.instance === null ? null : { ...connected, ...around.instance },
    workspace: { ...workspace, ...around.workspace },
    now: NOW,
    wallTime: NOW,
  });
}

describe('the sentence that says where a message stands', () => {
  const queued = { status: 'queued', queuedAt: at('14:02:00') } as const;
  const changed = { statusChangedAt: at('14:01:00') };

  it.for<readonly [string, Partial<Message>, Around, string, string]>([
    [
      'just accepted',
      { status: 'queued', queuedAt: NOW - 59_999 },
      {},
      'waiting',
      'It was accepted and is about to be sent.',
    ],
    [
      'queued for long at a connected number',
      queued,
      {},
      'waiting',
      'It has waited in the queue since 14:02 UTC: messages before it come first, at the pace of its number, or the network takes none for this recipient for now.',
    ],
    [
      'queued since another day',
      { status: 'queued', queuedAt: Date.parse('2026-11-19T23:59:00Z') },
      {},
      'waiting',
      'It has waited in the queue since 2026-11-19 23:59 UTC: messages before it come first, at the pace of its number, or the network takes none for this recipient for now.',
    ],
    [
      'queued at a number that dropped',
      queued,
      { instance: { ...changed, status: 'disconnected', lastError: 'connection_lost' } },
      'waiting_for_instance',
      'It waits: the number has been disconnected since 14:01 UTC (connection_lost). The message is sent once it is connected again.',
    ],
    [
      'queued at a number that was disconnected on request',
      queued,
      { instance: { ...changed, status: 'disconnected', desired: 'stopped' } },
      'waiting_for_instance',
      'It waits: the number has been disconnected on request since 14:01 UTC. Connect it to send the message.',
    ],
    [
      'queued at a number that connects',
      queued,
      { instance: { ...changed, status: 'connecting' } },
      'waiting_for_instance',
      'It waits: the number has been connecting since 14:01 UTC. The message is sent once it is connected.',
    ],
    [
      'queued at a number that shows its QR',
      queued,
      { instance: { ...changed, status: 'qr_required' } },
      'waiting_for_instance',
      'It waits: the number has been waiting for its QR to be scanned since 14:01 UTC.',
    ],
    [
      'queued at a number that was never linked',
      queued,
      { instance: { ...changed, status: 'created' } },
      'waiting_for_instance',
      'It waits: the number has not been linked yet. Connect it and scan its QR.',
    ],
    [
      'queued at a number that is logged out',
      queued,
      { instance: { ...changed, status: 'logged_out' } },
      'waiting_for_instance',
      'It waits: the number has been logged out since 14:01 UTC. Connect it and scan a new QR.',
    ],
    [
      'queued at a number that cannot go on',
      queued,
      { instance: { ...changed, status: 'error', lastError: 'banned' } },
      'waiting_for_instance',
      'It waits: the number has not been able to go on since 14:01 UTC (banned). Connect it to send the message.',
    ],
    [
      'queued at a restricted number',
      queued,
      {
        instance: {
          ...changed,
          status: 'error',
          restriction: { code: 'sending_capped', until: at('18:00:00') },
        },
      },
      'waiting_for_instance',
      'It waits: the network has restricted the number until 18:00 UTC (sending_capped).',
    ],
    [
      'queued at a number whose restriction is over',
      queued,
      { instance: { restriction: { code: 'sending_capped', until: at('15:00:00') } } },
      'waiting',
      'It has waited in the queue since 14:02 UTC: messages before it come first, at the pace of its number, or the network takes none for this recipient for now.',
    ],
    [
      'held by the pace of a new number',
      queued,
      { isPaced: true, instance: { linkedAt: Date.parse('2026-11-18T16:20:00Z') } },
      'waiting_for_pace',
      'It waits at least until 16:20 UTC: the number was linked on 2026-11-18, and has written to as many new people as its pace allows in one of its first ten days. If the recipient writes first, it is sent immediately.',
    ],
    [
      'held by the pace of a number that is not new any more',
      queued,
      { isPaced: true, instance: { linkedAt: Date.parse('2026-11-10T15:20:00Z') } },
      'waiting',
      'It has waited in the queue since 14:02 UTC: messages before it come first, at the pace of its number, or the network takes none for this recipient for now.',
    ],
    [
      'queued at a number that is deleted',
      queued,
      { instance: null },
      'waiting_for_instance',
      'It waits, and its number no longer exists.',
    ],
    [
      'queued in a suspended workspace',
      queued,
      { workspace: { suspendedAt: at('14:20:00') } },
      'waiting_for_workspace',
      'It waits: the workspace has been suspended since 14:20 UTC. It is sent when that ends.',
    ],
    [
      'queued in a workspace without a subscription',
      queued,
      { workspace: { plan: { ...workspace.plan, subscription: 'none' } } },
      'waiting_for_workspace',
      'It waits: the subscription of the workspace has ended. It is sent when there is one again.',
    ],
    [
      'just sent',
      { status: 'sent', sentAt: NOW - 1_000 },
      {},
      'unconfirmed',
      'The network has it. The phone has not confirmed it yet.',
    ],
    [
      'sent a while ago',
      { status: 'sent', sentAt: at('14:02:00') },
      {},
      'unconfirmed',
      'The phone has not confirmed it since 14:02 UTC; it may be off.',
    ],
    [
      'sent to a group',
      { status: 'sent', sentAt: at('14:02:00'), to: null, groupId: 'grp_1' },
      {},
      'unconfirmed',
      'No phone in the group has confirmed it since 14:02 UTC.',
    ],
    [
      'delivered',
      { status: 'delivered', deliveredAt: at('14:03:00') },
      {},
      'delivered',
      'It reached the phone at 14:03 UTC. It has not been read, or the reader does not report it.',
    ],
    ['read', { status: 'read', readAt: at('14:04:00') }, {}, 'read', 'It was read at 14:04 UTC.'],
    [
      'failed',
      {
        status: 'failed',
        failedAt: at('14:05:00'),
        error: { code: 'network_busy', message: 'The network did not take it.' },
      },
      {},
      'failed',
      'It failed at 14:05 UTC: The network did not take it.',
    ],
    [
      'deleted for everybody',
      { status: 'read', readAt: at('14:04:00'), deletedAt: at('14:06:00') },
      {},
      'deleted',
      'It was deleted for everybody at 14:06 UTC.',
    ],
    [
      'received',
      { direction: 'inbound', status: 'received', receivedAt: at('14:07:00') },
      {},
      'received',
      'It was received at 14:07 UTC.',
    ],
    [
      'received without its file',
      {
        direction: 'inbound',
        status: 'received',
        receivedAt: at('14:07:00'),
        media: { available: false, mimeType: 'image/png', size: 1, filename: 'a.png', sha256: null },
      },
      {},
      'received',
      'It was received at 14:07 UTC. Its file is not stored.',
    ],
    [
      'deleted by its sender',
      { direction: 'inbound', status: 'received', deletedAt: at('14:08:00') },
      {},
      'deleted',
      'Its sender deleted it at 14:08 UTC.',
    ],
  ])('is right for a message that is %s', ([, message, around, code, sentence]) => {
    expect(stand(message, around)).toMatchObject({ code, sentence });
    expect(STANDINGS).toContain(code);
  });

  it('says since when, and never from before the message', () => {
    expect(stand(queued, { instance: { ...changed, status: 'connecting' } }).since).toBe(at('14:02:00'));
    const later = { statusChangedAt: at('15:00:00'), status: 'connecting' } as const;
    expect(stand(queued, { instance: later }).since).toBe(at('15:00:00'));
  });
});
