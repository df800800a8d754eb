import type { DashboardTrunkline, Session } from '../session.ts';

const OPEN: unique symbol = Symbol('open');

/** Signs people in to the dashboard; made by `createSignIn`. */
export interface SignIn {
  /**
   * The token of a link `{dashboard}/sign-in#token={token}` that signs an admin in once, within an hour. Anyone with
   * the token is an admin, so do not show it to others.
   */
  newLinkToken(): string;
  /** Opens the sign-in for one dashboard. Apps cannot call it, because the symbol is not exported. */
  readonly [OPEN]: (place: SignInPlace) => OpenSignIn;
}

export interface SignInPlace {
  readonly trunkline: DashboardTrunkline;
  readonly basePath: string;
  readonly publicUrl: string | undefined;
  /** The address that a request comes from, if it is known. */
  readonly clientAddress?: ((request: Request) => string | undefined) | undefined;
}

export interface OpenSignIn {
  sessionOf(request: Request, options?: { readonly fresh?: boolean }): Promise<Session | null>;
  /** Resolves with the session and a `Set-Cookie`. Rejects with a TrunklineError if the credential is wrong. */
  signIn(
    request: Request,
    credential: Credential,
  ): Promise<{ readonly session: Session; readonly cookie: string }>;
  /** Ends the session in every process. Resolves with a `Set-Cookie` that removes the cookie. */
  signOut(request: Request): Promise<string>;
}

/** An API key, or the token of a link or of the admin. */
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
