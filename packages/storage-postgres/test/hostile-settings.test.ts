import { createHostileRole } from './support/hostile-role.ts';
import { describePostgresContract } from './support/postgres-contract.ts';

describePostgresContract({
  name: 'postgres, for a role with hostile settings',
  role: createHostileRole,
  // A caller's own transaction has the settings that the caller gave it.
  begin:
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
  short: 'sample',
});
