interface Accounts {
  /** Every column of a database, as `table.column`. */
  readonly there: readonly string[];
  readonly moved: readonly string[];
  /** Tables or columns that are not moved, with the reasons. */
  readonly notMoved: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** Returns the columns that a move would lose silently, and the names in `moved` or `notMoved` that do not exist. */
export function unaccountedColumns({ there, moved, notMoved }: Accounts): {
  readonly forgotten: readonly string[];
  readonly unknown: readonly string[];
} {
  const named = Object.entries(notMoved).flatMap(([table, reason]) =>
    typeof reason === 'string' ? [`${table}.`] : Object.keys(reason).map((column) => `${table}.${column}`),
  );
  const isNamed = (column: string): boolean =>
    named.some((name) => column === name || (name.endsWith('.') && column.startsWith(name)));
  return {
    forgotten: there.filter((column) => !moved.includes(column) && !isNamed(column)),
    unknown: [
      ...moved.filter((column) => !there.includes(column)),
      ...named.filter((name) => !there.some((column) => column.startsWith(name))),
    ],
  };
}
