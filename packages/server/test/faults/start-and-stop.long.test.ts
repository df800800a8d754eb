import { describeMatrix } from './matrix.ts';
import { inMemory } from './surroundings.ts';

const modes = ['once', 'lost once', 'rejects', 'hangs', '30 s', 'none'] as const;

describeMatrix({ name: 'during a start', surround: inMemory, phase: 'start', modes });
describeMatrix({ name: 'during a stop', surround: inMemory, phase: 'stop', modes });
