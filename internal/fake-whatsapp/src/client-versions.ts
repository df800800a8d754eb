import type { WAVersion, proto } from '@whiskeysockets/baileys';

/**
 * The versions of WhatsApp Web that the network accepts: only the current one to link a client, as reported of WhatsApp
 * in 2026, and every version to log in, until `expire`. web.whatsapp.com names the current one: whatsmeow's `update.go`.
 */
export class ClientVersions {
  #current: WAVersion = [2, 3000, 1_100_000_000];
  #oldestToLogIn: WAVersion | undefined;
  /** Whether the network links clients of every version, as it did before 2026. */
  linksOldOnes = false;

  /** The version that web.whatsapp.com names. */
  get current(): WAVersion {
    return this.#current;
  }

  release(): WAVersion {
    const [first, second, revision] = this.#current;
    this.#current = [first, second, revision + 1_000];
    return this.#current;
  }

  expire(): void {
    this.#oldestToLogIn = this.#current;
  }

  canLink(version: WAVersion): boolean {
    return this.linksOldOnes || !isOlder(version, this.#current);
  }

  canLogIn(version: WAVersion): boolean {
    return !isOlder(version, this.#oldestToLogIn);
  }
}

function isOlder(version: WAVersion, oldest: WAVersion | undefined): boolean {
  if (oldest === undefined) return false;
  const differing = version.findIndex((part, index) => part !== oldest[index]);
  return (version[differing] ?? 0) < (oldest[differing] ?? 0);
}

/** The version that a client claims in its login. */
export function versionIn({ userAgent }: proto.IClientPayload): WAVersion {
  const { primary, secondary, tertiary } = userAgent?.appVersion ?? {};
  return [primary ?? 0, secondary ?? 0, tertiary ?? 0];
}
