/**
 * The user that Postgres runs as, for `spawn`, because Postgres refuses to run as root. The kernel needs no account for
 * the numbers, which are those of "nobody" if that account exists.
 */
export const serverUser: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
