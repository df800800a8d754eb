import * as z from 'zod';
import { isInstallableToken, newApiKeyToken, prefixOf } from '../../domain/api-key/api-key-token.ts';
import { SCOPES } from '../../domain/api-key/api-key.ts';
import type { ApiKey, Scope } from '../../domain/api-key/api-key.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { noMember } from './members.ts';
import { noWorkspace } from './workspaces.ts';

/** The fields of a new API key. */
export interface NewApiKey {
  /** The workspace that the key gives access to, `ten_…`. */
  readonly workspaceId: string;
  /** The display name, 1 to 255 characters. */
  readonly name: string;
  /** The operations that the key allows; `SCOPES` for all. */
  readonly scopes: readonly Scope[];
  /** The member who creates the key; absent for a key of the embedder. */
  readonly memberId?: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt?: number | undefined;
  /** Your own value, 16 to 128 printable characters without spaces; by default, a value is generated. */
  readonly token?: string | undefined;
}

/** An API key as shown to its owner, without its value and its hash. */
export interface ApiKeyInfo {
  /** `key_…` */
  readonly id: string;
  /** The workspace that the key gives access to, `ten_…`. */
  readonly workspaceId: string;
  /** The member who created the key; null for a key of the embedder. */
  readonly memberId: string | null;
  /** The display name, such as the name of the program that uses the key. */
  readonly name: string;
  /** The operations that the key allows. */
  readonly scopes: readonly Scope[];
  /** The first characters of the value, to recognise the key; null if the caller gave the value. */
  readonly prefix: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; null if it does not expire. */
  readonly expiresAt: number | null;
  /** Epoch milliseconds; null if it is not revoked. */
  readonly revokedAt: number | null;
  /** Epoch milliseconds, accurate to within a minute; null if it was never used. */
  readonly lastUsedAt: number | null;
}

const newApiKey = z.object({
  name: z.string().trim().min(1).max(255),
  scopes: z.array(z.enum(SCOPES)),
  expiresAt: z.int().min(0).optional(),
  token: z
    .string()
    .refine(
      isInstallableToken,
      'Must be 16 to 128 printable ASCII characters without spaces, and no mistyped trk_ key.',
    )
    .optional(),
});

export async function createApiKey(
  context: ServiceContext,
  input: NewApiKey,
): Promise<Result<{ token: string; apiKey: ApiKeyInfo }>> {
  const read = readInput(newApiKey, input);
  if (!read.ok) return read;
  const { storage, random, crypto, clock } = context;
  if (!(await storage.workspaces.find(input.workspaceId))) return noWorkspace();
  if (
    input.memberId !== undefined &&
    !(await storage.workspaces.findMember(input.workspaceId, input.memberId))
  ) {
    return noMember();
  }
  if (read.value.token !== undefined && (await storage.apiKeys.findByHash(crypto.sha256(read.value.token)))) {
    return invalid({ token: ['Is already in use by another key: give a new value.'] });
  }
  const now = clock.now();
  const token = read.value.token ?? newApiKeyToken((length) => random.bytes(length));
  const apiKey: ApiKey = {
    id: context.newId('key', now),
    workspaceId: input.workspaceId,
    memberId: input.memberId ?? null,
    name: read.value.name,
    scopes: SCOPES.filter((scope) => read.value.scopes.includes(scope)),
    hash: crypto.sha256(token),
    // Show no part of a value that the caller chose, because it may be short, or easy to guess.
    prefix: read.value.token === undefined ? prefixOf(token) : null,
    createdAt: now,
    expiresAt: read.value.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await storage.apiKeys.insert(apiKey);
  return ok({ token, apiKey: apiKeyInfo(apiKey) });
}

export async function revokeApiKey(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<ApiKeyInfo>> {
  const apiKey = await context.storage.apiKeys.revoke(workspaceId, id, context.clock.now());
  return apiKey ? ok(apiKeyInfo(apiKey)) : refuse('NOT_FOUND', 'There is no such API key in this workspace.');
}

export function apiKeyInfo({ hash: _hash, ...info }: ApiKey): ApiKeyInfo {
  return info;
}
