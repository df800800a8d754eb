import type { Scope } from '@trunkline/core';
import * as z from 'zod';
import type { AccessKind } from '../access.ts';

/** The user's access, and the features available to them. */
export interface SessionResource {
  readonly access: AccessKind;
  readonly scopes: readonly Scope[];
  /** The workspace that the session is bound to; null if the session may use any workspace. */
  readonly workspace: { readonly id: string; readonly name: string } | null;
  readonly features: {
    /** Whether the phones of a sandbox can be used. */
    readonly sandbox: boolean;
    /** Whether users can sign out here. If the dashboard is part of another app, they sign out of that app. */
    readonly signOut: boolean;
  };
  readonly version: string;
}

const credential = z.string().min(1).max(1_000).optional();

export const signInInput: z.ZodType<
  { readonly api_key?: string | undefined; readonly token?: string | undefined },
  unknown
> = z
  .strictObject({ api_key: credential, token: credential })
  .refine(({ api_key, token }) => (api_key === undefined) !== (token === undefined));
