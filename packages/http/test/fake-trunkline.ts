import { SCOPES, TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';
import type { Principal, Scope, WorkspaceApi } from '@trunkline/core';
import type { ServedTrunkline } from '../src/index.ts';

export const WORKSPACE_ID = 'ten_01k9z0000000000000000000aa';
type Operations = { readonly [Group in keyof WorkspaceApi]?: Partial<WorkspaceApi[Group]> };

interface FakeOptions {
  readonly operations?: Operations;
  readonly scopes?: readonly Scope[];
  readonly suspended?: boolean;
  readonly authenticate?: ServedTrunkline['authenticate'];
}

/** A Trunkline that knows only the key `Bearer good` and the operations that the test provides. */
export function fakeTrunkline({ operations = {}, ...options }: FakeOptions = {}): ServedTrunkline {
  let requests = 0;
  const principal = principalWith(options.scopes ?? SCOPES, options.suspended ?? false);
  return {
    roles: { api: true, gateway: false, webhooks: false, maintenance: false },
    authenticate:
      options.authenticate ??
      (async (authorization) => {
        if (authorization === null) throw refusal('UNAUTHENTICATED', 'No key.');
        if (authorization !== 'Bearer good') throw refusal('INVALID_API_KEY', 'A wrong key.');
        return principal;
      }),
    as: () => operations as WorkspaceApi, // calls of other operations fail the test
    newRequestId: () => `req_${++requests}`,
  };
}

export function refusal(...given: Parameters<typeof refuse>): TrunklineError {
  return new TrunklineError(refuse(...given).refusal);
}

function principalWith(scopes: readonly Scope[], suspended: boolean): Principal {
  return {
    apiKey: {
      id: 'key_01k9z0000000000000000000aa',
      workspaceId: WORKSPACE_ID,
      memberId: null,
      name: 'ci',
      scopes,
      hash: 'unused',
      prefix: null,
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    },
    workspace: {
      id: WORKSPACE_ID,
      name: 'Acme',
      plan: { subscription: 'active', instanceLimit: null, trialMessageLimit: null, webhookLimit: 5 },
      trialMessagesUsed: 0,
      retention: null,
      suspendedAt: suspended ? 1 : null,
      createdAt: 0,
    },
    member: null,
  };
}
