import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { isTrunklineError, SCOPES } from '@trunkline/core';
import type { Principal, TrunklineOptions } from '@trunkline/core';
import { checkSuspension, unwrap } from '@trunkline/core/spi/http';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import * as z from 'zod';
import { accessOfScopes } from '../access.ts';
import { refused } from '../session.ts';
import type { DashboardTrunkline, Session } from '../session.ts';
import { createAttempts } from './attempts.ts';
import { sealedTokens } from './sealed-tokens.ts';
import { sessionCookie } from './session-cookie.ts';
import { makeSignIn } from './sign-in.ts';
import type { SignIn } from './sign-in.ts';

export interface SignInOptions {
  /** The secret key of `createTrunkline`, which seals the cookies. In a list, the first key seals and every key opens. */
  readonly secretKey: TrunklineOptions['secretKey'];
  /** The token that an admin can sign in with, at least 16 characters. Without a token, admins can only use links. */
  readonly adminToken?: string | undefined;
  /** The time, in epoch milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const OPTION_NAMES: OptionNames<SignInOptions> = {
  secretKey: true,
  adminToken: true,
  now: true,
};

const SESSION_MS = 12 * 60 * 60_000;
const LINK_MS = 60 * 60_000;
/** How far ahead a token's time may be: another process's clock may differ, or this clock may have been set back. */
const AHEAD_MS = 5 * 60_000;

const LINK_PREFIX = 'link_';

const madeAt = z.int().min(0);
const sessionContent = z.union([
  z.object({ id: z.string(), madeAt, apiKey: z.string() }),
  z.object({ id: z.string(), madeAt, admin: z.string() }),
]);
const linkContent = z.object({ id: z.string(), madeAt });

/**
 * Signs people in to the dashboard by an API key, the admin token or a link. The session is a sealed cookie, which
 * every process with the secret key accepts for 12 hours. The session ends with its API key, or when the admin token
 * changes. Throws a TypeError if an option is wrong.
 *
 * @example createDashboard(trunkline, { signIn: createSignIn({ secretKey, adminToken: process.env.DASHBOARD_TOKEN }) })
 */
export function createSignIn(options: SignInOptions): SignIn {
  checkOptionNames('createSignIn', options, OPTION_NAMES);
  const secretKeys = [options.secretKey].flat().filter((key) => key !== undefined);
  if (secretKeys.length === 0 || !secretKeys.every(isLongEnough(32)))
    throw new TypeError(
      'createSignIn: the option "secretKey" is wrong: Must be the secret key of createTrunkline, 32 characters or more.',
    );
  const { adminToken, now = Date.now } = options;
  if (adminToken !== undefined && !isLongEnough(16)(adminToken))
    throw new TypeError('createSignIn: the option "adminToken" is wrong: Must have 16 characters or more.');

  const sessions = sealedTokens(secretKeys, 'session');
  const links = sealedTokens(secretKeys, 'link');
  const attempts = createAttempts();
  /** Identifies the admin token in an admin's session, which ends when the token changes. */
  const adminPrint = digest(`dashboard admin ${adminToken ?? ''}`).toString('base64url');
  const isYoung = (at: number, ms: number): boolean => at - AHEAD_MS <= now() && now() < at + ms;

  const newLinkToken = (): string => LINK_PREFIX + links.seal({ id: randomUUID(), madeAt: now() });

  return makeSignIn(newLinkToken, ({ trunkline, basePath, publicUrl, clientAddress }) => {
    const { spentTokens } = trunkline.admin;
    /** Resolves with true only for the first use of a link across all processes. */
    const useLink = async (token: string): Promise<boolean> => {
      if (!token.startsWith(LINK_PREFIX)) return false;
      const link = linkContent.safeParse(links.open(token.slice(LINK_PREFIX.length)));
      if (!link.success || !isYoung(link.data.madeAt, LINK_MS)) return false;
      return spentTokens.spend(`dashboard_link_${link.data.id}`, endOf(link.data.madeAt, LINK_MS));
    };
    const cookie = sessionCookie({ basePath, publicUrl });
    const contentOf = (request: Request): z.output<typeof sessionContent> | null => {
      const value = cookie.read(request);
      const content = sessionContent.safeParse(value === undefined ? null : sessions.open(value));
      return content.success && isYoung(content.data.madeAt, SESSION_MS) ? content.data : null;
    };
    const cookieOf = (
      request: Request,
      who: { readonly apiKey: string } | { readonly admin: string },
    ): string =>
      cookie.set(request, sessions.seal({ id: randomUUID(), madeAt: now(), ...who }), SESSION_MS / 1000);

    return {
      async sessionOf(request, lookUp) {
        const content = contentOf(request);
        if (content === null || (await spentTokens.isSpent(spentIdOf(content), lookUp))) return null;
        if ('admin' in content) return content.admin === adminPrint ? ADMIN : null;
        const principal = await holderOf(trunkline, content.apiKey, lookUp);
        return principal && sessionOfKey(principal);
      },

      async signIn(request, credential) {
        // Before the limit on attempts: links cannot be guessed, and others' failures must not delay their use.
        if ('token' in credential && (await useLink(credential.token)))
          return { session: ADMIN, cookie: cookieOf(request, { admin: adminPrint }) };
        const address = clientAddress?.(request);
        const secret = 'token' in credential ? credential.token : credential.apiKey;
        const succeeded = attempts.begin([
          `credential ${digest(secret).toString('base64url')}`,
          ...(address === undefined ? [] : [`address ${address}`]),
        ]);
        if ('token' in credential) {
          if (adminToken === undefined || !isSame(credential.token, adminToken)) throw wrongToken();
          succeeded();
          return { session: ADMIN, cookie: cookieOf(request, { admin: adminPrint }) };
        }
        const principal = await holderOf(trunkline, credential.apiKey, { fresh: true });
        if (principal === null) throw wrongKey();
        succeeded();
        unwrap(checkSuspension(principal.workspace));
        return { session: sessionOfKey(principal), cookie: cookieOf(request, { apiKey: credential.apiKey }) };
      },

      async signOut(request) {
        const content = contentOf(request);
        if (content) await spentTokens.spend(spentIdOf(content), endOf(content.madeAt, SESSION_MS));
        return cookie.remove(request);
      },
    };
  });
}

function spentIdOf({ id }: { readonly id: string }): string {
  return `dashboard_session_${id}`;
}

/** The time until which a spent token is stored, with a margin for processes whose clock is behind. */
function endOf(at: number, ms: number): number {
  return at + ms + AHEAD_MS;
}

const ADMIN: Session = { access: 'admin', scopes: SCOPES, workspaceId: null, principal: null };

function sessionOfKey(principal: Principal): Session {
  const { scopes } = principal.apiKey;
  return { access: accessOfScopes(scopes), scopes, workspaceId: principal.workspace.id, principal };
}

/** Null for a key that is wrong, revoked or expired. */
async function holderOf(
  trunkline: DashboardTrunkline,
  apiKey: string,
  options?: { readonly fresh?: boolean },
): Promise<Principal | null> {
  try {
    return await trunkline.authenticate(`Bearer ${apiKey}`, options);
  } catch (error) {
    if (isTrunklineError(error) && error.status === 401) return null;
    throw error;
  }
}

function wrongKey(): Error {
  return refused(
    'INVALID_API_KEY',
    'The API key is malformed, unknown, revoked or expired: check that it was copied whole, or use another key.',
  );
}

function wrongToken(): Error {
  return refused(
    'INVALID_API_KEY',
    'The token is wrong; if it came with a link, the link was used before or is older than an hour: ask whoever runs the server for a new one, which "trunkline dashboard" prints.',
  );
}

function isLongEnough(length: number): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && value.length >= length;
}

/** Takes the same time wherever the first difference is. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
