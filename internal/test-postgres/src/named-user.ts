import { userInfo } from 'node:os';

/**
 * A command for a program that insists on a name for its user, as `initdb` does. A user of a container may be a number
 * without an account: the program then runs in a user namespace (Linux, `unshare` of util-linux) in which its name is
 * "nobody". Its files still belong to the same user.
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
