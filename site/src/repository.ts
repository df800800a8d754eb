import { join } from 'node:path';

/** The folder of the repository. */
export const ROOT: string = join(import.meta.dirname, '../..');

/** The repository's address, for links to files that are not pages of the site. */
export const REPOSITORY = 'https://github.com/trunkline/trunkline';
