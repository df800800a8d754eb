import { join } from 'node:path';

/** The folder of the repository. */
export const ROOT: string = join(import.meta.dirname, '../..');

/** Where what is no page of the site can be read. */
export const REPOSITORY = 'https://github.com/trunkline/trunkline';
