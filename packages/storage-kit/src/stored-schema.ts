/** The schema that a database has. */
export interface StoredSchema {
  /** 0 if nothing of Trunkline is in it. */
  readonly version: number;
  /** That which a storage of this version upgrades it to when it opens it. */
  readonly latest: number;
}
