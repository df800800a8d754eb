import type { ApiKey, Scope } from '../domain/api-key/api-key.ts';
import type { Workspace } from '../domain/workspace/workspace.ts';

/** API key info of the REST API (specification, "API key info"). */
export interface ApiKeyResource {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly workspace: { readonly id: string; readonly name: string };
}

export function apiKeyResource(apiKey: ApiKey, workspace: Workspace): ApiKeyResource {
  return {
    id: apiKey.id,
    name: apiKey.name,
    scopes: [...apiKey.scopes],
    workspace: { id: workspace.id, name: workspace.name },
  };
}
