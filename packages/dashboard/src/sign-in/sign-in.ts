import type { DashboardTrunkline, Session } from '../session.ts';

const OPEN: unique symbol = Symbol('open');

/** Signs people in to the dashboard; made by `createSignIn`. */
export interface SignIn {
  /**
   * The token of a link `{dashboard}/sign-in#token={token}` that signs an admin in: once, within an hour. Whoever has it
   * is an admin, so show it to nobody else.
   */
  newLinkToken(): string;
  /** For the dashboard. */
  readonly [OPEN]: (place: SignInPlace) => OpenSignIn;
}

/** Where people are signed in. */
export interface SignInPlace {
  readonly trunkline: DashboardTrunkline;
  readonly basePath: string;
  readonly publicUrl: string | undefined;
  /** The address that a request comes from, if it is known. */
  readonly clientAddress?: ((request: Request) => string | undefined) | undefined;
}

export interface OpenSignIn {
  /** Who a request is from, by its cookie. */
  sessionOf(request: Request, options?: { readonly fresh?: boolean }): Promise<Session | null>;
  /** Resolves with the session and a `Set-Cookie`. Rejects with a TrunklineError if the credential is wrong. */
  signIn(
    request: Request,
    credential: Credential,
  ): Promise<{ readonly session: Session; readonly cookie: string }>;
  /** Ends the session in every process, and resolves with a `Set-Cookie` that removes it. */
  signOut(request: Request): Promise<string>;
}

/** An API key; or a token: that of a link, or the admin's. */
type Credential = { readonly apiKey: string } | { readonly token: string };

export function makeSignIn(
  newLinkToken: SignIn['newLinkToken'],
  open: (place: SignInPlace) => OpenSignIn,
): SignIn {
  return { newLinkToken, [OPEN]: open };
}

export function openSignIn(signIn: SignIn, place: SignInPlace): OpenSignIn {
  return signIn[OPEN](place);
}

export function isSignIn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && OPEN in value;
}
