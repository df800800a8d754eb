import { describe, expect, it } from 'vitest';
import type { LinkedProfile } from '../../ports/gateway.ts';
import { NOW } from '../../../test/support/examples.ts';
import { LATER, LINKED, QR, STATES, TRIGGERS, operation } from '../../../test/support/instance-states.ts';
import { transition } from './instance-state.ts';
import type { InstanceTransition } from './instance-state.ts';
import { outcomeOf } from './instance.ts';
import type { Instance, OperationKind } from './instance.ts';

type State = keyof typeof STATES;
type Trigger = keyof typeof TRIGGERS;

/** `status [desired] [! event]`, `.` if nothing changes, or the code of a refusal. */
function outcome(result: InstanceTransition): string {
  switch (result.kind) {
    case 'unchanged':
      return '.';
    case 'refused':
      return result.refusal.code;
    case 'changed': {
      const { status, operation: open } = result.instance;
      const parts = [
        status,
        open && `(${open.kind})`,
        result.event && `! ${result.event}`,
        result.sessionEnds && 'and the session ends',
      ];
      return parts.filter(Boolean).join(' ');
    }
  }
}

const DISCONNECTED = 'disconnected ! instance.disconnected';
const LOGGED_OUT = 'logged_out ! instance.disconnected and the session ends';
const CONNECTED = 'connected ! instance.connected';
const ERROR = 'error ! instance.error';
const QR_REQUIRED = 'qr_required ! instance.qr_required';

/** The table of docs/decisions.md, "Instances", from every state. A trigger that is not listed changes nothing. */
const TABLE: Record<State, Partial<Record<Trigger, string>>> = {
  created: {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'created',
    connect: 'connecting',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'created (delete)',
  },
  'connecting, not paired': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connecting',
    disconnect: 'connecting (disconnect)',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'connecting (delete)',
    qr: QR_REQUIRED,
    connected: CONNECTED,
    dropped: 'connecting',
    grace_over: DISCONNECTED,
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'connecting',
  },
  'connecting, paired': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connecting',
    disconnect: 'connecting (disconnect)',
    logout: 'connecting (logout)',
    delete: 'connecting (delete)',
    qr: QR_REQUIRED,
    connected: CONNECTED,
    dropped: 'connecting',
    grace_over: DISCONNECTED,
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'connecting',
  },
  'connecting after a drop': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connecting',
    disconnect: 'connecting (disconnect)',
    logout: 'connecting (logout)',
    delete: 'connecting (delete)',
    qr: QR_REQUIRED,
    connected: 'connected',
    grace_over: DISCONNECTED,
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'connecting',
  },
  'qr_required after a drop': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connecting',
    disconnect: 'qr_required (disconnect)',
    passkey: 'qr_required ! instance.passkey_required',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'qr_required (delete)',
    qr: 'qr_required',
    qr_timeout: DISCONNECTED,
    connected: CONNECTED,
    grace_over: DISCONNECTED,
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'qr_required',
  },
  qr_required: {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connecting',
    disconnect: 'qr_required (disconnect)',
    passkey: 'qr_required ! instance.passkey_required',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'qr_required (delete)',
    qr: 'qr_required',
    qr_timeout: DISCONNECTED,
    connected: CONNECTED,
    dropped: 'qr_required',
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'qr_required',
  },
  'qr_required, for a passkey': {
    credentials_given: 'connecting',
    disconnect: 'qr_required (disconnect)',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'qr_required (delete)',
    passkey_answer: 'qr_required (passkey_answer)',
    qr: 'qr_required',
    passkey: 'qr_required',
    qr_timeout: DISCONNECTED,
    connected: CONNECTED,
    dropped: 'qr_required',
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'qr_required',
  },
  connected: {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connected',
    disconnect: 'connected (disconnect)',
    logout: 'connected (logout)',
    delete: 'connected (delete)',
    dropped: 'connecting',
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'connected',
  },
  'connected, restricted': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'connected',
    disconnect: 'connected (disconnect)',
    logout: 'connected (logout)',
    delete: 'connected (delete)',
    dropped: 'connecting',
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'connected',
    restriction_over: 'connected',
  },
  'disconnected, paired': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'disconnected',
    connect: 'connecting',
    logout: 'disconnected (logout)',
    delete: 'disconnected (delete)',
    dropped: 'disconnected',
    unlinked: LOGGED_OUT,
  },
  'disconnected, still trying': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'disconnected',
    connect: 'connecting',
    disconnect: 'disconnected',
    logout: 'disconnected (logout)',
    delete: 'disconnected (delete)',
    qr: QR_REQUIRED,
    connected: CONNECTED,
    dropped: 'disconnected',
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
  },
  'disconnected, not paired': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'disconnected',
    connect: 'connecting',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'disconnected (delete)',
    dropped: 'disconnected',
  },
  logged_out: {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'disconnected',
    connect: 'connecting',
    logout: 'INVALID_INSTANCE_STATE',
    delete: 'logged_out (delete)',
  },
  'error, paired': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'error',
    connect: 'connecting',
    logout: 'error (logout)',
    delete: 'error (delete)',
    unlinked: LOGGED_OUT,
  },
  'error, for some time': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    credentials_given: 'error',
    connect: 'connecting',
    disconnect: 'error',
    logout: 'error (logout)',
    delete: 'error (delete)',
    unlinked: LOGGED_OUT,
    restriction_over: 'connecting',
  },
  'created, with credentials': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    connect: 'connecting',
    logout: 'created (logout)',
    delete: 'created (delete)',
    credentials_given: 'created',
    credentials_removed: 'created and the session ends',
    unlinked: LOGGED_OUT,
  },
  'connected, with credentials': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    disconnect: 'connected (disconnect)',
    logout: 'connected (logout)',
    delete: 'connected (delete)',
    credentials_given: 'connected',
    credentials_removed: 'INVALID_INSTANCE_STATE',
    dropped: 'connecting',
    unlinked: LOGGED_OUT,
    failed: ERROR,
    failed_until: ERROR,
    restricted: 'connected',
  },
  'disconnected, with credentials': {
    passkey_answer: 'PASSKEY_NOT_AVAILABLE',
    connect: 'connecting',
    logout: 'disconnected (logout)',
    delete: 'disconnected (delete)',
    credentials_given: 'disconnected',
    credentials_removed: LOGGED_OUT,
    dropped: 'disconnected',
    unlinked: LOGGED_OUT,
  },
};

const stateNames = Object.keys(STATES) as State[]; // a literal has no other keys
const triggerNames = Object.keys(TRIGGERS) as Trigger[]; // a literal has no other keys

describe('an instance with nothing in flight', () => {
  const rows = stateNames.flatMap((state) =>
    triggerNames.map((trigger) => ({ state, trigger, expected: TABLE[state][trigger] ?? '.' })),
  );

  it.each(rows)('$state, $trigger: $expected', ({ state, trigger, expected }) => {
    expect(outcome(transition(STATES[state], TRIGGERS[trigger], LATER))).toBe(expected);
  });
});

describe('an instance with an operation open', () => {
  const kinds: readonly OperationKind[] = ['disconnect', 'logout', 'delete'];
  const rows = stateNames.flatMap((state) => kinds.map((kind) => ({ state, kind })));

  it.each(rows)('$state, $kind open: refuses another request as busy, and is joined', ({ state, kind }) => {
    const busy = { ...STATES[state], operation: operation(kind) };
    for (const trigger of [
      'connect',
      'disconnect',
      'logout',
      'delete',
      'credentials_given',
      'credentials_removed',
    ] as const) {
      const expected = trigger === kind ? '.' : 'INSTANCE_BUSY';
      expect(outcome(transition(busy, TRIGGERS[trigger], LATER))).toBe(expected);
    }
  });

  it.each(rows)('$state, $kind open: a failure closes it and is noted', ({ state, kind }) => {
    const busy = { ...STATES[state], operation: operation(kind) };
    expect(transition(busy, TRIGGERS.operation_failed, LATER)).toEqual({
      kind: 'changed',
      event: null,
      sessionEnds: false,
      instance: {
        ...busy,
        operation: null,
        operationOutcome: { id: 'opr_1', error: 'no response', earlier: [] },
        logoutRefused: kind === 'logout' && busy.phoneNumber !== null,
        updatedAt: LATER,
      },
    });
  });

  it.each([
    ['connecting, not paired', DISCONNECTED],
    ['connecting after a drop', DISCONNECTED],
    ['qr_required', DISCONNECTED],
    ['connected', DISCONNECTED],
    // The connection ended before the disconnect was carried out, so receivers were notified.
    ['disconnected, paired', 'disconnected'],
    ['error, paired', 'error'],
    ['logged_out', 'logged_out'],
  ] as const)('%s, disconnect carried out: %s, session kept', (state, expected) => {
    const result = transition(
      { ...STATES[state], operation: operation('disconnect') },
      TRIGGERS.operation_done,
      LATER,
    );
    expect(outcome(result)).toBe(expected);
    expect(result).toMatchObject({
      sessionEnds: false,
      instance: { desired: 'stopped', phoneNumber: STATES[state].phoneNumber },
    });
  });

  it.each([
    'connecting, paired',
    'connected',
    'disconnected, paired',
    'disconnected, still trying',
    'error, paired',
  ] as const)('%s, logout carried out: logged out, reported, and nothing is left of the number', (state) => {
    const result = transition(
      { ...STATES[state], operation: operation('logout') },
      TRIGGERS.operation_done,
      LATER,
    );
    expect(outcome(result)).toBe(LOGGED_OUT);
    expect(result).toMatchObject({
      instance: {
        desired: 'stopped',
        phoneNumber: null,
        profileName: null,
        profilePictureUrl: null,
        lastError: null,
      },
    });
  });

  it('logs out without the network where the session is discarded, and says that the phone may not know', () => {
    const refused = { ...STATES['error, paired'], operation: operation('logout'), logoutRefused: true };
    const result = transition(refused, TRIGGERS.session_discarded, LATER);
    expect(outcome(result)).toBe(LOGGED_OUT);
    expect(result).toMatchObject({
      instance: { phoneNumber: null, lastError: 'phone_may_still_list_device', logoutRefused: false },
    });
  });

  it('forgets that a logout was refused once it is connected again on request, or linked again', () => {
    const refused = { logoutRefused: true } as const;
    const after = (state: State, trigger: Trigger): InstanceTransition =>
      transition({ ...STATES[state], ...refused }, TRIGGERS[trigger], LATER);
    expect(after('disconnected, paired', 'connect')).toMatchObject({ instance: { logoutRefused: false } });
    expect(after('qr_required', 'connected')).toMatchObject({ instance: { logoutRefused: false } });
    expect(after('connected', 'unlinked')).toMatchObject({ instance: { logoutRefused: false } });
    // The network lets the same session connect, but refuses to end the session.
    expect(after('connecting after a drop', 'connected')).toMatchObject({ instance: refused });
  });

  it('keeps the outcomes of the operations before, so that a request that looks late finds its own', () => {
    let instance: Instance = STATES.connected;
    for (let i = 0; i < 40; i += 1) {
      const busy = { ...instance, operation: { ...operation('logout'), id: `opr_${i}` } };
      const result = transition(busy, TRIGGERS.operation_failed, LATER);
      if (result.kind === 'changed') instance = result.instance;
    }
    expect(outcomeOf(instance, 'opr_39')).toEqual({ id: 'opr_39', error: 'no response' });
    expect(outcomeOf(instance, 'opr_30')).toEqual({ id: 'opr_30', error: 'no response' });
    // Only a few outcomes are kept, so that the row does not grow with each operation.
    expect(outcomeOf(instance, 'opr_0')).toBeNull();
  });

  it('reports once when the phone unlinks while the logout is in progress', () => {
    const unlinked = transition(
      { ...STATES.connected, operation: operation('logout') },
      TRIGGERS.unlinked,
      LATER,
    );
    expect(outcome(unlinked)).toBe('logged_out (logout) ! instance.disconnected and the session ends');
    if (unlinked.kind !== 'changed') return;
    expect(outcome(transition(unlinked.instance, TRIGGERS.operation_done, LATER))).toBe('logged_out');
  });
});

describe('credentials', () => {
  const OTHER = { ...TRIGGERS.credentials_given, phoneNumber: '34911000000' };

  it('link their number, with its profile and its capabilities', () => {
    const given = { ...TRIGGERS.credentials_given, capabilities: ['text'] as const };
    expect(transition(STATES['disconnected, not paired'], given, LATER)).toMatchObject({
      instance: {
        ...LINKED,
        sealedCredentials: 'sealed',
        capabilities: ['text'],
        linkedAt: LATER,
        lastError: null,
      },
    });
    const linked = { ...STATES.connected, capabilities: ['text'] as const };
    expect(transition(linked, TRIGGERS.credentials_given, LATER)).toMatchObject({
      instance: { capabilities: ['text'], linkedAt: linked.linkedAt },
    });
  });

  it('are refused if they belong to another number than the linked one', () => {
    expect(outcome(transition(STATES['disconnected, paired'], OTHER, LATER))).toBe('INVALID_INSTANCE_STATE');
    expect(transition(STATES.logged_out, OTHER, LATER)).toMatchObject({
      instance: { phoneNumber: '34911000000' },
    });
  });

  it('are forgotten with the number', () => {
    const linked = { ...STATES['connected, with credentials'], capabilities: ['text'] as const };
    for (const instance of [linked, { ...linked, operation: operation('logout') }])
      expect(
        transition(instance, instance.operation ? TRIGGERS.operation_done : TRIGGERS.unlinked, LATER),
      ).toMatchObject({
        sessionEnds: true,
        instance: { phoneNumber: null, sealedCredentials: null, capabilities: null },
      });
  });
});

describe('what a change writes', () => {
  const after = (state: State, trigger: Trigger, now: number = LATER): Instance => {
    const result = transition(STATES[state], TRIGGERS[trigger], now);
    if (result.kind !== 'changed') throw new Error(`${trigger} changes nothing from ${state}`);
    return result.instance;
  };

  it('notes the number, the profile and the time of a connection, and forgets the last error', () => {
    const failing = { ...STATES['connecting, not paired'], lastError: 'connection_failed' };
    expect(transition(failing, TRIGGERS.connected, LATER)).toMatchObject({
      instance: { ...LINKED, connectedAt: LATER, lastSeenAt: LATER, lastError: null, qr: null },
    });
  });

  it('keeps of the profile what a connection does not report, unless another number is linked', () => {
    const { phoneNumber, profileName, profilePictureUrl } = LINKED;
    const linkedAs = (said: Partial<LinkedProfile>): InstanceTransition =>
      transition(STATES['connecting after a drop'], { kind: 'connected', phoneNumber, ...said }, LATER);
    expect(linkedAs({})).toMatchObject({ instance: LINKED });
    expect(linkedAs({ profileName: 'Bea' })).toMatchObject({
      instance: { profileName: 'Bea', profilePictureUrl },
    });
    expect(linkedAs({ profilePictureUrl: null })).toMatchObject({
      instance: { profileName, profilePictureUrl: null },
    });
    expect(linkedAs({ phoneNumber: '34911000000' })).toMatchObject({
      instance: { phoneNumber: '34911000000', profileName: null, profilePictureUrl: null },
    });
  });

  it.each(['connecting, not paired', 'qr_required after a drop', 'disconnected, still trying'] as const)(
    'forgets the last error of one that is %s when it shows a QR, as its connection is open again',
    (state) => {
      const failing = { ...STATES[state], lastError: 'connection_lost' };
      expect(transition(failing, TRIGGERS.qr, LATER)).toMatchObject({
        instance: { status: 'qr_required', qr: QR, droppedAt: null, lastError: null },
      });
    },
  );

  it('has the reason why it stopped', () => {
    expect(after('qr_required', 'qr_timeout')).toMatchObject({
      lastError: 'qr_timeout',
      desired: 'stopped',
      disconnectedAt: LATER,
    });
    expect(after('connected', 'unlinked')).toMatchObject({
      lastError: 'logged_out_from_phone',
      desired: 'stopped',
      disconnectedAt: LATER,
    });
    expect(after('connected', 'failed')).toMatchObject({
      lastError: 'banned',
      desired: 'stopped',
      phoneNumber: LINKED.phoneNumber,
    });
    expect(after('connecting after a drop', 'grace_over')).toMatchObject({
      lastError: 'connection_lost',
      desired: 'running',
      disconnectedAt: LATER,
    });
  });

  it('keeps trying after a drop, and stops on request', () => {
    expect(after('connected', 'dropped')).toMatchObject({
      desired: 'running',
      droppedAt: LATER,
      lastError: 'connection_lost',
    });
    expect(after('disconnected, still trying', 'disconnect')).toMatchObject({
      desired: 'stopped',
      operation: null,
    });
  });

  it.each(['connecting, paired', 'connecting after a drop', 'qr_required after a drop'] as const)(
    'gives one that is %s its whole grace',
    (state) => {
      expect(transition(STATES[state], TRIGGERS.grace_over, LATER - 1)).toEqual({ kind: 'unchanged' });
    },
  );

  it('has the reason why a connection did not open, or a timeout if none is known', () => {
    expect(after('connecting, paired', 'grace_over')).toMatchObject({
      lastError: 'connect_timeout',
      desired: 'running',
    });
    const failing = { ...STATES['connecting, paired'], lastError: 'connection_failed' };
    expect(transition(failing, TRIGGERS.grace_over, LATER)).toMatchObject({
      instance: { lastError: 'connection_failed' },
    });
  });

  it('shows a QR only while one can be scanned', () => {
    expect(after('connecting, not paired', 'qr').qr).toEqual(QR);
    expect(after('qr_required', 'connected').qr).toBeNull();
    expect(after('qr_required', 'dropped').qr).toBeNull();
    expect(after('qr_required', 'qr_timeout').qr).toBeNull();
  });

  it('changes the time of the status only with the status', () => {
    expect(after('created', 'connect')).toMatchObject({ statusChangedAt: LATER, updatedAt: LATER });
    expect(after('qr_required', 'qr')).toMatchObject({ statusChangedAt: NOW, updatedAt: LATER });
  });
});
