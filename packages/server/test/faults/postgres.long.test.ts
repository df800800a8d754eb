import { describeMatrix } from './matrix.ts';
import { onPostgres } from './real-surroundings.ts';

describeMatrix({
  name: 'PostgreSQL',
  surround: onPostgres,
  // SQLite shows how the other modes break the service, in a fifth of the time.
  modes: ['lost once', 'hangs'],
});
