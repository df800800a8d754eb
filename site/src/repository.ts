import { join } from 'node:path';

/** The folder of the repository. */
export const ROOT: string = join(import.meta.dirname, '../..');

/** The address of files that are not pages of the site. */
export const REPOSITORY = 'https://github.com/trunkline/trunkline';
