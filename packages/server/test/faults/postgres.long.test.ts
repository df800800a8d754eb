import { describeMatrix } from './matrix.ts';
import { onPostgres } from './real-surroundings.ts';

describeMatrix({
  name: 'PostgreSQL',
  surround: onPostgres,
  // The other modes break the service, which SQLite shows in a fifth of the time.
  modes: ['lost once', 'hangs'],
});
