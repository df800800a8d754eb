import { join } from 'node:path';
import * as z from 'zod';
import { CommandError } from '../errors/command-error.ts';
import { readSmall, writeWhole } from './safe-files.ts';

export const MANIFEST = 'backup.json';

export function filesOfBackup(directory: string): { readonly database: string; readonly media: string } {
  return { database: join(directory, 'trunkline.db'), media: join(directory, 'media') };
}

/** The content of `backup.json`. */
export interface BackupManifest {
  readonly format: 1;
  /** When the database copy began, so the copy has everything accepted before then. Null until the copy is complete. */
  readonly taken_at: string | null;
  readonly is_complete: boolean;
  /** The SHA-256 of `trunkline.db`; null until that file is written. */
  readonly database_sha256: string | null;
  readonly media_files: number;
  readonly media_bytes: number;
}

export const NEW_MANIFEST: BackupManifest = {
  format: 1,
  taken_at: null,
  is_complete: false,
  database_sha256: null,
  media_files: 0,
  media_bytes: 0,
};

const schema: z.ZodType<BackupManifest> = z.object({
  format: z.literal(1),
  taken_at: z.iso.datetime().nullable(),
  is_complete: z.boolean(),
  database_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  media_files: z.int().min(0),
  media_bytes: z.int().min(0),
});

/** Null if the directory has no manifest. */
export async function readManifest(directory: string): Promise<BackupManifest | null> {
  const path = join(directory, MANIFEST);
  const text = await readSmall(path);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new CommandError(`${path} is damaged, or of a newer version of Trunkline: restore another backup.`);
  }
}

export function writeManifest(directory: string, manifest: BackupManifest): Promise<void> {
  return writeWhole(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
