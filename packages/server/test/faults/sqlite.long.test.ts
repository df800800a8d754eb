import { describeMatrix } from './matrix.ts';
import { inMemory } from './surroundings.ts';

describeMatrix({ name: 'SQLite and the sandbox', surround: inMemory });
