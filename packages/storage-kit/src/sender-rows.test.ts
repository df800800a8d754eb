import { describe, expect, it } from 'vitest';
import { PLAIN_CODECS } from './codec.ts';
import { senderRows } from './sender-rows.ts';

const PLAN = '{"subscription":"active","instanceLimit":null,"trialMessageLimit":null,"webhookLimit":5}';
const instance = {
  id: 'ins_1',
  workspace_id: 'ten_1',
  network: 'xobdnas',
  phone_number: '15550100',
  capabilities: null,
};

/** Stands in for the encoding of a database that stores texts differently from JavaScript. */
const reversed = (text: string): string => [...text].toReversed().join('');
const rows = senderRows({
  ...PLAIN_CODECS,
  text: {
    write: reversed,
    read: (stored) => (typeof stored === 'string' ? reversed(stored) : undefined),
  },
});

describe('the rows of a sender', () => {
  it('say what a message is sent by, to nobody who could change it', () => {
    const { facts } = rows.workspace({ plan: PLAN, suspended_at: null });
    expect(facts).toEqual({ plan: JSON.parse(PLAN), suspendedAt: null });
    expect([facts, facts.plan].every((given) => Object.isFrozen(given))).toBe(true);
    const own = rows.instance(instance).facts;
    expect(own).toEqual({
      id: 'ins_1',
      workspaceId: 'ten_1',
      network: 'sandbox',
      phoneNumber: '00105551',
      capabilities: null,
    });
    expect(Object.isFrozen(own)).toBe(true);
    const { capabilities } = rows.instance({ ...instance, capabilities: '["text"]' }).facts;
    expect([capabilities, Object.isFrozen(capabilities)]).toEqual([['text'], true]);
  });

  it('have revisions of the texts that the database has', () => {
    expect(rows.workspace({ plan: PLAN, suspended_at: null }).revision).toBe(` ${PLAN}`);
    expect(rows.workspaceRevision({ plan: PLAN, suspended_at: 7 })).toBe(`7 ${PLAN}`);
    expect(rows.instance(instance).revision).toBe('15550100 ');
    expect(rows.instanceRevision({ phone_number: null, capabilities: '["text"]' })).toBe(' ["text"]');
  });
});
