import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW, exampleInstance } from '../../../test/support/examples.ts';
import type { InstanceEventType } from '../event/event.ts';
import { restrictionEndsAt, waitsForRestriction } from './instance-restriction.ts';
import { transition } from './instance-state.ts';
import type { InstanceTransition, InstanceTrigger } from './instance-state.ts';
import { isLive } from './instance.ts';
import type { Instance, OperationKind } from './instance.ts';

const request = (kind: OperationKind): InstanceTrigger => ({
  kind: 'request_operation',
  operation: { id: 'opr_1', kind, requestedAt: NOW },
});

const trigger: fc.Arbitrary<InstanceTrigger> = fc.constantFrom<InstanceTrigger[]>(
  { kind: 'connect', pairingNumber: null },
  request('disconnect'),
  request('logout'),
  request('delete'),
  request('passkey_answer'),
  { kind: 'operation_done' },
  { kind: 'session_discarded' },
  { kind: 'operation_failed', error: 'no response' },
  { kind: 'qr', qr: { sealedCode: 'sealed', sealedPairingCode: null, expiresAt: NOW } },
  { kind: 'passkey', passkey: { kind: 'assertion', sealedStep: 'sealed', expiresAt: NOW + 600_000 } },
  { kind: 'qr_timeout' },
  { kind: 'connected', phoneNumber: '34600111222', profileName: null, profilePictureUrl: null },
  { kind: 'dropped', detail: 'connection_lost' },
  { kind: 'grace_over' },
  { kind: 'unlinked' },
  { kind: 'failed', code: 'banned' },
  { kind: 'failed', code: 'banned', until: NOW + 90_000 },
  { kind: 'restricted', restriction: { code: 'sending_capped', until: NOW + 60_000 } },
  { kind: 'restricted', restriction: { code: 'cannot_start_chats', until: null } },
  { kind: 'restricted', restriction: null },
  { kind: 'restriction_over' },
);
const history = fc.array(fc.record({ trigger, waitMs: fc.integer({ min: 1, max: 40_000 }) }), {
  maxLength: 40,
});

interface Step {
  readonly before: Instance;
  readonly after: Instance;
  readonly now: number;
  readonly result: InstanceTransition;
  readonly event: InstanceEventType | null;
}

function live(happenings: readonly { trigger: InstanceTrigger; waitMs: number }[]): readonly Step[] {
  let instance = exampleInstance();
  let now = NOW;
  return happenings.map(({ trigger: happening, waitMs }) => {
    now += waitMs;
    const before = instance;
    const result = transition(before, happening, now);
    if (result.kind === 'changed') instance = result.instance;
    return { before, after: instance, now, result, event: result.kind === 'changed' ? result.event : null };
  });
}

function always(holds: (step: Step) => void): void {
  fc.assert(
    fc.property(history, (happenings) => {
      for (const step of live(happenings)) holds(step);
    }),
    { numRuns: 500 },
  );
}

describe('whatever happens to an instance', () => {
  it('what receivers were notified of fits the state', () => {
    fc.assert(
      fc.property(history, (happenings) => {
        let reportedConnected = false;
        for (const { after, event } of live(happenings)) {
          if (event !== null) reportedConnected = event === 'instance.connected';
          if (after.status === 'connected') expect(reportedConnected).toBe(true);
          else if (after.status === 'connecting') expect(reportedConnected).toBe(after.droppedAt !== null);
          else expect(reportedConnected).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('instance.connected never comes twice in a row', () => {
    fc.assert(
      fc.property(history, (happenings) => {
        const events = live(happenings).flatMap(({ event }) => (event === null ? [] : [event]));
        expect(events.some((event, i) => event === 'instance.connected' && events[i + 1] === event)).toBe(
          false,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('an event comes only with a new status, and reports that status', () => {
    const reported: Record<InstanceEventType, readonly string[]> = {
      'instance.connected': ['connected'],
      'instance.disconnected': ['disconnected', 'logged_out'],
      'instance.qr_required': ['qr_required'],
      'instance.error': ['error'],
      'instance.passkey_required': ['qr_required'],
    };
    always(({ before, after, event }) => {
      if (event === null) return;
      const isPasskey = event === 'instance.passkey_required';
      expect(after.status === before.status).toBe(isPasskey);
      expect(reported[event]).toContain(after.status);
    });
  });

  it('an instance has a QR only in qr_required, and only after a QR was shown', () => {
    always(({ after }) => {
      if (after.status !== 'qr_required') expect(after.qr).toBeNull();
    });
  });

  it('a passkey is awaited only in qr_required, instead of a QR, and receivers are notified once', () => {
    always(({ before, after, event }) => {
      if (after.passkey) expect(after).toMatchObject({ status: 'qr_required', qr: null });
      expect(event === 'instance.passkey_required').toBe(after.passkey !== null && before.passkey === null);
    });
  });

  it('a live instance is one that is wanted, and a pending drop one that is to be connected', () => {
    always(({ after }) => {
      if (isLive(after.status)) expect(after.desired).toBe('running');
      if (after.droppedAt !== null) expect(['connecting', 'qr_required']).toContain(after.status);
    });
  });

  it('only an error that waits for a restriction stays wanted, and its end is known', () => {
    always(({ after }) => {
      if (after.status !== 'error') return;
      expect(after.desired === 'running').toBe(waitsForRestriction(after));
      if (waitsForRestriction(after)) expect(restrictionEndsAt(after)).not.toBeNull();
    });
  });

  it('an unlinked number has no restriction', () => {
    always(({ before, after }) => {
      if (before.phoneNumber !== null && after.phoneNumber === null) expect(after.restriction).toBeNull();
    });
  });

  it('the session ends exactly when the number goes', () => {
    always(({ before, after, result }) => {
      const ends = result.kind === 'changed' && result.sessionEnds;
      if (ends) expect(after).toMatchObject({ status: 'logged_out', phoneNumber: null });
      if (before.phoneNumber !== null && after.phoneNumber === null) expect(ends).toBe(true);
    });
  });

  it('times move on with what they stand for', () => {
    always(({ before, after, now, result }) => {
      if (result.kind !== 'changed') return expect(after).toBe(before);
      expect(after.updatedAt).toBe(now);
      expect(after.statusChangedAt).toBe(after.status === before.status ? before.statusChangedAt : now);
    });
  });

  it('the name, the ids, the creation and the version are not its business', () => {
    always(({ before, after }) => {
      const { id, workspaceId, name, createdAt, version } = before;
      expect(after).toMatchObject({ id, workspaceId, name, createdAt, version });
    });
  });

  it('a request is refused only while an operation is open, or if there is nothing to log out or to answer', () => {
    always(({ before, result }) => {
      if (result.kind !== 'refused') return;
      const { code } = result.refusal;
      if (code === 'INSTANCE_BUSY') expect(before.operation).not.toBeNull();
      else if (code === 'PASSKEY_NOT_AVAILABLE') expect(before.operation).toBeNull();
      else expect(before).toMatchObject({ operation: null, phoneNumber: null });
    });
  });
});
