import { refuse, ok } from '../result.ts';
import type { Refusal, Result } from '../result.ts';
import type { Member, Workspace } from '../workspace/workspace.ts';
import type { ApiKey, Scope } from './api-key.ts';

const BEARER = /^bearer +(\S+) *$/i;

/** The key in an `Authorization` header (RFC 6750 section 2.1). The scheme is case-insensitive. */
export function bearerToken(header: string | null): Result<string> {
  if (header === null || !/^bearer(\s|$)/i.test(header.trim())) {
    return refuse('UNAUTHENTICATED', 'Send the API key in the header "Authorization: Bearer <API_KEY>".');
  }
  const token = BEARER.exec(header.trim())?.[1];
  return token === undefined ? invalidApiKey() : ok(token);
}

export function invalidApiKey(): { ok: false; refusal: Refusal } {
  return refuse(
    'INVALID_API_KEY',
    'The API key is malformed, unknown, revoked or expired: check that it was copied whole, or use another key.',
  );
}

export function isUsable(apiKey: ApiKey, now: number): boolean {
  return apiKey.revokedAt === null && (apiKey.expiresAt === null || now < apiKey.expiresAt);
}

export function checkSuspension<Suspended extends Pick<Workspace, 'suspendedAt'>>(
  workspace: Suspended,
): Result<Suspended> {
  return workspace.suspendedAt === null
    ? ok(workspace)
    : refuse(
        'WORKSPACE_SUSPENDED',
        'The workspace is suspended: its API keys work again when the operator of this service resumes it.',
      );
}

export function checkScope(apiKey: ApiKey, scope: Scope): Result<ApiKey> {
  return apiKey.scopes.includes(scope)
    ? ok(apiKey)
    : refuse('INSUFFICIENT_SCOPE', `The API key lacks the scope ${scope}: use a key that has it.`, {
        required_scope: scope,
      });
}

/**
 * The member who created the key needs a verified email address to create or edit endpoints. A key without a member
 * belongs to the embedder, and passes.
 */
export function checkMayEditEndpoints(member: Member | null): Result<Member | null> {
  return member === null || member.emailVerified
    ? ok(member)
    : refuse(
        'INSUFFICIENT_SCOPE',
        'The email address of the member who made this API key is not verified: verify it before you create or edit webhooks.',
        { reason: 'email_not_verified' },
      );
}
