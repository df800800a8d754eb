import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import type { Principal } from '@trunkline/core';
import type { RateLimitOptions } from '@trunkline/http';
import { rateLimitOption } from '@trunkline/http/spi';
import type { CheckedRateLimit } from '@trunkline/http/spi';
import * as z from 'zod';
import type { DashboardAccess } from './access.ts';
import { isSignIn } from './sign-in/sign-in.ts';
import type { SignIn } from './sign-in/sign-in.ts';

/** Requires either `authorize` or `signIn`. */
export interface DashboardOptions {
  /** The path that the dashboard is mounted at. Default `/dashboard`; an empty string for the root. */
  readonly basePath?: string | undefined;
  /**
   * Returns the access of a request's sender; null refuses access. Called for each API request of the pages, and every
   * five seconds while a page's event stream is open. If it throws or takes more than ten seconds, the error is logged,
   * and the request fails or the stream ends.
   *
   * @example authorize: async (request) => ((await userOf(request))?.isOperator ? { access: 'admin' } : null)
   */
  readonly authorize?:
    ((request: Request) => DashboardAccess | null | Promise<DashboardAccess | null>) | undefined;
  /** Signs people in by an API key, a token or a link, with its own page and cookie: see `createSignIn`. */
  readonly signIn?: SignIn | undefined;
  /**
   * Performs the actions on a phone of the sandbox. Gets the request, with a path that begins with `/sandbox/`, and its
   * sender, who may change instances.
   */
  readonly sandbox?: ((request: Request, principal: Principal) => Response | Promise<Response>) | undefined;
  /**
   * The dashboard's address in browsers, with the base path: `https://messages.example.com/dashboard`. Needed if a
   * proxy changes the host or terminates TLS.
   */
  readonly publicUrl?: string | undefined;
  /**
   * The address that a request comes from; undefined if it is unknown. After 30 failed attempts to sign in within a
   * minute, an address has to wait. Without this option, failures are counted only by credential and in total.
   */
  readonly clientAddress?: ((request: Request) => string | undefined) | undefined;
  /** The origins whose pages may show the dashboard in a frame, such as `https://app.example.com`. Default: none. */
  readonly frameAncestors?: readonly string[] | undefined;
  /**
   * How many requests may be made with one API key, or in one workspace by sessions without a key; `false` for no
   * limit. Default `{ requestsPerMinute: 600 }`. Counted separately from the requests to the REST API.
   */
  readonly rateLimit?: RateLimitOptions | false | undefined;
}

export interface CheckedDashboardOptions {
  readonly basePath: string;
  readonly authorize?: DashboardOptions['authorize'];
  readonly signIn?: SignIn | undefined;
  readonly sandbox?: DashboardOptions['sandbox'];
  readonly publicUrl?: string | undefined;
  readonly clientAddress?: DashboardOptions['clientAddress'];
  readonly frameAncestors: readonly string[];
  readonly rateLimit: CheckedRateLimit | false;
}

const OPTION_NAMES: OptionNames<DashboardOptions> = {
  basePath: true,
  authorize: true,
  signIn: true,
  sandbox: true,
  publicUrl: true,
  clientAddress: true,
  frameAncestors: true,
  rateLimit: true,
};

const ORIGIN = /^https?:\/\/(\*\.)?[\w.-]+(:\d{1,5})?$/;

const dashboardOptions: z.ZodType<CheckedDashboardOptions, unknown> = z.object({
  basePath: z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'Must be a path like /dashboard, without a slash at its end.')
    .default('/dashboard'),
  authorize: z.custom<DashboardOptions['authorize']>(isFunction, 'Must be a function.').optional(),
  signIn: z.custom<SignIn>(isSignIn, 'Must be made by createSignIn.').optional(),
  sandbox: z.custom<DashboardOptions['sandbox']>(isFunction, 'Must be a function.').optional(),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'Must be a URL like https://messages.example.com/dashboard.' })
    .refine((url) => !/[?#@]/.test(url), 'Must have no query, no fragment and no user name.')
    .transform((url) => url.replace(/\/$/, ''))
    .optional(),
  clientAddress: z.custom<DashboardOptions['clientAddress']>(isFunction, 'Must be a function.').optional(),
  frameAncestors: z
    .array(
      z.string().refine((origin) => origin === "'self'" || ORIGIN.test(origin)),
      {
        error: 'Must be a list of origins like https://app.example.com.',
      },
    )
    .default([]),
  rateLimit: rateLimitOption,
});

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Throws a TypeError that names the first wrong option. */
export function checkDashboardOptions(options: DashboardOptions): CheckedDashboardOptions {
  checkOptionNames('createDashboard', options, OPTION_NAMES);
  const checked = dashboardOptions.safeParse(options);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw new TypeError(
      `createDashboard: the option "${issue?.path[0]?.toString()}" is wrong: ${issue?.message}`,
    );
  }
  const { authorize, signIn } = checked.data;
  if ((authorize === undefined) === (signIn === undefined))
    throw new TypeError(
      'createDashboard: give either the option "authorize", which says who may see it, or "signIn": createSignIn({ … }).',
    );
  return checked.data;
}
