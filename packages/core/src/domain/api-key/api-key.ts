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

/** An API key as it is stored. Only its holder knows its value; the service keeps the SHA-256 of it (hex). */
export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  /** The member who made it; null for a key of the embedder's own. */
  readonly memberId: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly hash: string;
  /** The first characters of its value, to recognise it; null for an installed value. */
  readonly prefix: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}
