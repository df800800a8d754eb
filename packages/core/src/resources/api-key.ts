import type { ApiKey, Scope } from '../domain/api-key/api-key.ts';
import type { Workspace } from '../domain/workspace/workspace.ts';

/** API key info of the REST API (specification, "API key info"). */
export interface ApiKeyResource {
  /** `key_…` */
  readonly id: string;
  /** The display name, such as the name of the program that uses the key. */
  readonly name: string;
  /** The operations that the key allows. */
  readonly scopes: readonly Scope[];
  /** The workspace that the key gives access to. */
  readonly workspace: {
    /** `ten_…` */
    readonly id: string;
    /** The name of the workspace. */
    readonly name: string;
  };
}

export function apiKeyResource(apiKey: ApiKey, workspace: Workspace): ApiKeyResource {
  return {
    id: apiKey.id,
    name: apiKey.name,
    scopes: [...apiKey.scopes],
    workspace: { id: workspace.id, name: workspace.name },
  };
}
