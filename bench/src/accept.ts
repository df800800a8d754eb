/**
 * Accepted messages per second on each storage, compared with the same stack without a storage (the ceiling), and with
 * hand-written code that commits, or executes a statement, for each message. ROUNDS, SECONDS and CONNECTIONS are the
 * sizes.
 */
import { measureAcceptance, ONE } from './accept/variants.ts';

const compareRates = await measureAcceptance(
  {
    'responses together': { service: 'responses together', ...ONE },
    'responses each': { service: 'responses each', ...ONE },
    'SQLite, commit each': { service: 'SQLite, commit each', ...ONE },
    'SQLite, trunkline': { service: 'SQLite, trunkline', ...ONE },
    'PostgreSQL, insert each': { service: 'PostgreSQL, insert each', ...ONE },
    'PostgreSQL, trunkline': { service: 'PostgreSQL, trunkline', ...ONE },
    'PostgreSQL, insert each, 100 instances': {
      service: 'PostgreSQL, insert each',
      instances: 100,
      processes: 1,
    },
    'PostgreSQL, trunkline, 100 instances': {
      service: 'PostgreSQL, trunkline',
      instances: 100,
      processes: 1,
    },
    'PostgreSQL, trunkline, 4 processes': { service: 'PostgreSQL, trunkline', instances: 100, processes: 4 },
  },
  { name: 'responses together', called: 'the ceiling' },
);
compareRates('SQLite, trunkline', 'responses together', 0.45);
compareRates('SQLite, trunkline', 'SQLite, commit each', 5);
compareRates('PostgreSQL, trunkline', 'responses together', 0.4);
compareRates('PostgreSQL, trunkline', 'PostgreSQL, insert each', 1.5);
compareRates('PostgreSQL, trunkline, 100 instances', 'PostgreSQL, insert each, 100 instances', 2);
compareRates('PostgreSQL, trunkline, 4 processes', 'PostgreSQL, trunkline, 100 instances', 2.5);
