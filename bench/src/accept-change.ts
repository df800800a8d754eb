/**
 * Accepted messages per second, compared with those of another checkout in the same run: what a change costs. BEFORE is the
 * other checkout's folder, with its packages installed; ROUNDS, SECONDS and CONNECTIONS are the sizes.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureAcceptance, ONE } from './accept/variants.ts';

const BEFORE = process.env['BEFORE'];
if (BEFORE === undefined) throw new Error('BEFORE must be the folder of another checkout.');
const program = pathToFileURL(join(BEFORE, 'bench/src/accept/server.ts'));

const compareRates = await measureAcceptance(
  {
    'SQLite, before': { service: 'SQLite, trunkline', ...ONE, program },
    'SQLite, after': { service: 'SQLite, trunkline', ...ONE },
    'PostgreSQL, before': { service: 'PostgreSQL, trunkline', ...ONE, program },
    'PostgreSQL, after': { service: 'PostgreSQL, trunkline', ...ONE },
  },
  { name: 'SQLite, before', called: 'SQLite before' },
);
compareRates('SQLite, after', 'SQLite, before', 0.95);
compareRates('PostgreSQL, after', 'PostgreSQL, before', 0.95);
