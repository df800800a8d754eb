/** The scopes that an API key can have. */
export const SCOPES = [
  'instances:read',
  'instances:write',
  'messages:read',
  'messages:send',
  'webhooks:read',
  'webhooks:write',
] as const;
/** A permission of an API key. */
export type Scope = (typeof SCOPES)[number];

/** An API key as it is stored. Only the holder knows the value; the service keeps its SHA-256 (hex). */
export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  /** The member who created the key; null for a key that belongs to the embedder. */
  readonly memberId: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly hash: string;
  /** The first characters of the value, to recognise the key; null for a value that the embedder chose. */
  readonly prefix: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}
