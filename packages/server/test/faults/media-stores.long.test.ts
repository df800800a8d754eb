import { describeMatrix } from './matrix.ts';
import { withFiles, withS3 } from './real-surroundings.ts';

const only = /^(media|uploads|downloads)\./;

describeMatrix({ name: 'files in a directory', surround: withFiles, only });
describeMatrix({ name: 'files in S3', surround: withS3, only });
