import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type {} from './global-setup.ts';

/**
 * The URL of a Postgres that all test files of a run share: that of `DATABASE_URL` where it is set, else one from npm.
 * A test makes a schema or a database of its own in it.
 */
export async function sharedPostgres(): Promise<string> {
  const own = process.env['DATABASE_URL'];
  if (own !== undefined && own !== '') return own;
  const reply = await text(connect(inject('postgresPort'), '127.0.0.1'));
  const { url, problem } = JSON.parse(reply) as { url?: string; problem?: string }; // as global-setup.ts writes it
  if (url === undefined) throw new Error(problem);
  return url;
}
