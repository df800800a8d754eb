import { describeMatrix } from './matrix.ts';
import { onPostgres } from './real-surroundings.ts';

describeMatrix({
  name: 'PostgreSQL',
  surround: onPostgres,
  // What the other modes break is in the service, and SQLite shows it in a fifth of the time.
  modes: ['lost once', 'hangs'],
});
