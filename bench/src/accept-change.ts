/**
 * The cost of a change: accepted messages per second, compared with those of another checkout in the same run. BEFORE
 * is the folder of the other checkout, with its packages installed; ROUNDS, SECONDS and CONNECTIONS are the sizes. A
 * machine's load keeps changing, so many short rounds show more than a few long ones.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureAcceptance, ONE } from './accept/variants.ts';

const BEFORE = process.env['BEFORE'];
if (BEFORE === undefined) throw new Error('BEFORE must be the folder of another checkout.');
const program = pathToFileURL(join(BEFORE, 'bench/src/accept/server.ts'));

// Measure each storage separately, so that each variant is first in half of the rounds.
for (const service of ['SQLite, trunkline', 'PostgreSQL, trunkline'] as const) {
  const compareRates = await measureAcceptance(
    { before: { service, ...ONE, program }, [service]: { service, ...ONE } },
    { name: 'before', called: 'before' },
  );
  compareRates(service, 'before', 0.95);
}
