/** The version of a database's schema, and the latest one. */
export interface StoredSchema {
  /** 0 if the database has no tables of Trunkline. */
  readonly version: number;
  /** The version to which a storage of this release upgrades the database on opening. */
  readonly latest: number;
}

/** The version of the schema of Trunkline 0.1.0. Earlier databases have lower versions. Each later migration adds 1. */
const FIRST_SCHEMA_VERSION = 114;

/** The version of a schema with these migrations. The first migration creates the tables. */
export function latestSchemaVersion(migrations: readonly string[]): number {
  return FIRST_SCHEMA_VERSION + migrations.length - 1;
}

/** Throws if a storage that knows the schema up to `latest` can neither use nor upgrade the database. */
export function checkStoredSchema({ version, latest }: StoredSchema): void {
  if (version > latest)
    throw new Error(
      `it was made by a newer version of Trunkline (schema ${version}; this one knows ${latest}). Run that version, or restore a backup from before its upgrade.`,
    );
  if (version > 0 && version < FIRST_SCHEMA_VERSION)
    throw new Error(
      `it was made before Trunkline 0.1.0 (schema ${version}), and cannot be upgraded: use a new database, or stay on the commit that made this one.`,
    );
}

/** The migrations that a database of this version lacks, each with the version of the schema after it. */
export function missingMigrations(
  version: number,
  migrations: readonly string[],
): readonly (readonly [version: number, sql: string])[] {
  return migrations
    .map((sql, index): readonly [number, string] => [FIRST_SCHEMA_VERSION + index, sql])
    .filter(([leadsTo]) => leadsTo > version);
}
