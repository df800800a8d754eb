import { describeMatrix } from './matrix.ts';
import { withFiles, withS3 } from './real-surroundings.ts';

const only = /^(media|uploads|downloads)\./;
const modes = ['lost once', 'rejects', 'hangs'] as const;

describeMatrix({ name: 'files in a directory', surround: withFiles, only, modes });
describeMatrix({ name: 'files in S3', surround: withS3, only, modes });
