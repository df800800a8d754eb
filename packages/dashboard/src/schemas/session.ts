import type { Scope } from '@trunkline/core';
import * as z from 'zod';
import type { AccessKind } from '../access.ts';

/** The signed-in user's access, and the features that the dashboard has for them. */
export interface SessionResource {
  readonly access: AccessKind;
  readonly scopes: readonly Scope[];
  /** The workspace that the session is bound to; null if the session may use any workspace. */
  readonly workspace: { readonly id: string; readonly name: string } | null;
  readonly features: {
    /** Whether the phones of a sandbox can be used. */
    readonly sandbox: boolean;
    /** Whether the dashboard can sign users out; if it is part of another app, users sign out of that app. */
    readonly signOut: boolean;
  };
  /** The version of the dashboard. */
  readonly version: string;
}

const credential = z.string().min(1).max(1_000).optional();

export const signInInput: z.ZodType<
  { readonly api_key?: string | undefined; readonly token?: string | undefined },
  unknown
> = z
  .strictObject({ api_key: credential, token: credential })
  .refine(({ api_key, token }) => (api_key === undefined) !== (token === undefined));
