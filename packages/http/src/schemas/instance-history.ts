import { HISTORY_REASONS, INSTANCE_STATUSES } from '@trunkline/core/spi/http';
import type { InstanceHistoryResource } from '@trunkline/core';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { count, id, timestamp, timestampOrNull } from './fields.ts';
import { pageOfLinks } from './page.ts';
import { page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

const status = z.enum(INSTANCE_STATUSES).nullable();

export const historyEntry: Resource<InstanceHistoryResource> = {
  name: 'InstanceHistoryEntry',
  schema: exactSchema<InstanceHistoryResource>()(
    z.strictObject({
      id: id('hst'),
      instance_id: id('ins'),
      at: timestamp,
      count: count.meta({
        description:
          'How often this happened: repeats within an hour are one entry. Beyond 200 entries within an hour, an event is counted in the latest entry with its reason, if there is one.',
      }),
      last_at: timestamp.meta({ description: 'When it happened last; next is as of then.' }),
      from: status.meta({ description: 'Null at the creation.' }),
      to: status.meta({ description: 'The same as from if the status did not change.' }),
      reason: z.enum(Object.keys(HISTORY_REASONS) as (keyof typeof HISTORY_REASONS)[]), // Object.keys returns string[]
      description: z.string().meta({ description: 'The reason as a sentence.' }),
      code: z.string().nullable().meta({ description: 'The cause, in the words of last_error.' }),
      network_code: z.string().nullable().meta({ description: 'What the network itself said, such as 428.' }),
      next: z
        .strictObject({
          kind: z.enum(['reconnect', 'scan_qr', 'use_passkey', 'pair', 'connect', 'wait_for_restriction']),
          at: timestampOrNull,
          text: z.string(),
        })
        .nullable()
        .meta({ description: 'What comes next, by itself or by somebody; null if nothing does.' }),
      caused_by: z.enum(['api', 'gateway', 'service']),
      process: z.string().nullable().meta({ description: 'The process that held the instance.' }),
      previous_process: z
        .string()
        .nullable()
        .meta({ description: 'The process that it was taken over from.' }),
    }),
  ),
  example: {
    id: 'hst_01kaj2p9v6e8gr5d0mz7q4xw1c',
    instance_id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    at: '2026-11-20T21:15:00.123+00:00',
    count: 1,
    last_at: '2026-11-20T21:15:00.123+00:00',
    from: 'connected',
    to: 'connecting',
    reason: 'connection_dropped',
    description: 'An open connection was lost.',
    code: 'connection_closed',
    network_code: '428',
    next: { kind: 'reconnect', at: '2026-11-20T21:15:12.123+00:00', text: 'reconnecting in 12 s' },
    caused_by: 'gateway',
    process: 'Zk3vQ8rT1xYb7cWd',
    previous_process: null,
  },
};

export const historyPage: ResponseBody = page(
  historyEntry,
  'A page of what happened',
  pageOfLinks('entries'),
);
