import { expect } from 'vitest';
import type { Json } from './client.ts';

/** The fields of each resource, in the specification ("Resources and their fields") and beyond. */
export const FIELDS = {
  instance:
    'id name network status phone_number profile_name profile_picture_url paired capabilities last_error restriction has_proxy has_credentials pace ' +
    'status_changed_at connected_at disconnected_at last_seen_at created_at updated_at',
  numberLookup: 'number on_network registered_number',
  group: 'id name participants_count synced_at',
  message:
    'id instance_id direction type status to from group_id text caption media error ' +
    'created_at queued_at sent_at delivered_at read_at failed_at received_at ' +
    'contact reply_to kind payload origin edited_at deleted_at',
  webhook:
    'id url description events status secret_hint last_delivery disabled_at disabled_reason created_at updated_at ' +
    'instances secret_begins_at trace_context failing_since auto_disable_at',
  delivery:
    'id webhook_id event status attempts max_attempts next_retry_at response_status error_code ' +
    'last_attempt_at delivered_at created_at',
  attempt: 'attempt manual response_status response_body duration_ms error_code at',
} as const;

export function expectFields(resource: Json | undefined, fields: string): void {
  expect(Object.keys(resource ?? {}).toSorted()).toEqual(fields.split(' ').toSorted());
}

export const TIMESTAMP: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
