import { askDesk } from './desk.ts';

/**
 * The URL of a Postgres that all test files of a run share: `DATABASE_URL` if it is set, else a Postgres from npm. Each
 * test makes its own schema or database there.
 */
export async function sharedPostgres(): Promise<string> {
  const own = process.env['DATABASE_URL'];
  if (own !== undefined && own !== '') return own;
  const url = await askDesk('server');
  if (url === undefined) throw new Error('Only a run of the tests has a Postgres that is shared.');
  return url;
}
