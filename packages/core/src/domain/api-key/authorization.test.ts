import { describe, expect, it } from 'vitest';
import { NOW, exampleApiKey, exampleMember, exampleWorkspace } from '../../../test/support/examples.ts';
import {
  bearerToken,
  checkMayEditEndpoints,
  checkScope,
  checkSuspension,
  isUsable,
} from './authorization.ts';
import { SCOPES } from './api-key.ts';

describe('the Authorization header', () => {
  it.each(['Bearer abc', 'bearer abc', 'BEARER abc', 'Bearer   abc', '  Bearer abc  '])(
    '%j holds the key abc',
    (header) => {
      expect(bearerToken(header)).toEqual({ ok: true, value: 'abc' });
    },
  );

  it.each([null, '', ' ', 'abc', 'Basic abc', 'Bearerabc', 'Token Bearer abc', 'Bearer:abc'])(
    '%j is not a Bearer header: UNAUTHENTICATED',
    (header) => {
      expect(bearerToken(header)).toMatchObject({ refusal: { code: 'UNAUTHENTICATED' } });
    },
  );

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer abc, Bearer def', 'Bearer\tabc'])(
    '%j holds no key: INVALID_API_KEY',
    (header) => {
      expect(bearerToken(header)).toMatchObject({ refusal: { code: 'INVALID_API_KEY' } });
    },
  );
});

describe('an API key', () => {
  it('is usable until it is revoked or its time is up', () => {
    expect(isUsable(exampleApiKey(), NOW)).toBe(true);
    expect(isUsable(exampleApiKey({ revokedAt: NOW }), NOW)).toBe(false);
    expect(isUsable(exampleApiKey({ expiresAt: NOW + 1 }), NOW)).toBe(true);
    expect(isUsable(exampleApiKey({ expiresAt: NOW }), NOW)).toBe(false);
  });

  it.each(SCOPES)('may do %s only if it has that scope', (scope) => {
    const others = SCOPES.filter((other) => other !== scope);
    expect(checkScope(exampleApiKey({ scopes: [scope] }), scope).ok).toBe(true);
    expect(checkScope(exampleApiKey({ scopes: others }), scope)).toMatchObject({
      refusal: { code: 'INSUFFICIENT_SCOPE', details: { required_scope: scope } },
    });
  });
});

describe('a suspended workspace', () => {
  it('is refused', () => {
    expect(checkSuspension(exampleWorkspace()).ok).toBe(true);
    expect(checkSuspension(exampleWorkspace({ suspendedAt: NOW }))).toMatchObject({
      refusal: { code: 'WORKSPACE_SUSPENDED' },
    });
  });
});

describe('editing endpoints', () => {
  it('is allowed to members with a verified email, and to the embedder', () => {
    expect(checkMayEditEndpoints(null).ok).toBe(true);
    expect(checkMayEditEndpoints(exampleMember()).ok).toBe(true);
    expect(checkMayEditEndpoints(exampleMember({ emailVerified: false }))).toMatchObject({
      refusal: { code: 'INSUFFICIENT_SCOPE', details: { reason: 'email_not_verified' } },
    });
  });
});
