/**
 * Whom Postgres runs as, as `spawn` takes it: it refuses to run as root. The kernel asks for no account behind the
 * numbers, which are those of "nobody" where there is one.
 */
export const serverUser: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
