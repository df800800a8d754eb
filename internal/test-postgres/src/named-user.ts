import { userInfo } from 'node:os';

/**
 * The command for a program that requires a name for its user, as `initdb` does. In a container, the user may be a
 * number without an account; the program then runs in a user namespace (Linux, `unshare` of util-linux) in which the
 * user's name is "nobody". Its files still belong to the same user.
 */
export function asNamedUser(command: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (hasName()) return [command, args];
  return ['unshare', ['--user', '--map-user=65534', command, ...args]];
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}
