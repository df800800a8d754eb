import { SCOPES } from '@trunkline/core';
import type { Storage, Trunkline, Workspace } from '@trunkline/core';
import type { Crypto } from '@trunkline/core/spi/runtime';
import { StartError } from '../errors/start-error.ts';

interface Parts {
  readonly trunkline: Pick<Trunkline, 'admin'>;
  readonly storage: Pick<Storage, 'apiKeys'>;
  readonly crypto: Pick<Crypto, 'sha256'>;
}

/** How the user of the server gets an API key. */
export type Access =
  /** A new key, which must be shown once and then marked as shown. */
  | { readonly kind: 'new'; readonly token: string; readonly shown: () => Promise<void> }
  /** The key is in the variable API_KEY. */
  | { readonly kind: 'given' }
  /**
   * The user makes a key with a command, because this is not the first start, or there is no terminal to show a key on.
   */
  | { readonly kind: 'own' };

interface KeyOptions {
  readonly apiKey: string | undefined;
  /** Whether stdout is a terminal, on which a new key can be shown. */
  readonly canShow: boolean;
}

const NAME = 'Default workspace';
/**
 * The workspace's name until its user has or can make an API key for it. If a start ends before then, the next start
 * gives out a key.
 */
const UNSHOWN_NAME = `${NAME} (nobody has a key yet)`;
/** The name of the key from the variable API_KEY. */
const GIVEN_KEY = 'API_KEY';

/** Makes sure that a workspace exists, and that its user has or can make an API key with every scope. */
export async function openDefaultWorkspace(parts: Parts, { apiKey, canShow }: KeyOptions): Promise<Access> {
  const { workspaces, apiKeys } = parts.trunkline.admin;
  const workspace = await defaultWorkspace(parts);
  const settle = async (): Promise<void> => {
    if (workspace.name === UNSHOWN_NAME) await workspaces.rename(workspace.id, NAME);
  };

  if (apiKey !== undefined) {
    await installKey(parts, workspace, apiKey);
    await settle();
    return { kind: 'given' };
  }
  if (workspace.name !== UNSHOWN_NAME || !canShow) {
    await settle();
    return { kind: 'own' };
  }
  const { token } = await apiKeys.create({ workspaceId: workspace.id, name: 'First start', scopes: SCOPES });
  return { kind: 'new', token, shown: settle };
}

/** Returns the oldest workspace, or creates one. Two servers that each create one concurrently agree on the oldest. */
async function defaultWorkspace({ trunkline }: Parts): Promise<Workspace> {
  const { workspaces } = trunkline.admin;
  const [oldest] = await workspaces.list();
  if (oldest) return oldest;
  const created = await workspaces.create({ name: UNSHOWN_NAME });
  const [first = created] = await workspaces.list();
  return first;
}

/** Installs the key from API_KEY, and revokes a key that an earlier start installed from another value. */
async function installKey(
  { trunkline, storage, crypto }: Parts,
  workspace: Workspace,
  token: string,
): Promise<void> {
  const { apiKeys } = trunkline.admin;
  const known = await storage.apiKeys.findByHash(crypto.sha256(token));
  if (known && known.apiKey.revokedAt !== null) {
    throw new StartError(
      'API_KEY was replaced by another one before, and cannot come back: take a new value.',
    );
  }
  if (known && known.workspace.id !== workspace.id)
    throw new StartError('API_KEY is a key of another workspace on this database: take a new value.');

  const id = known?.apiKey.id ?? (await install());
  for (const other of await apiKeys.list(workspace.id)) {
    const replaced = other.name === GIVEN_KEY && other.id !== id && other.revokedAt === null;
    if (replaced) await apiKeys.revoke(workspace.id, other.id);
  }

  async function install(): Promise<string> {
    const made = await apiKeys.create({ workspaceId: workspace.id, name: GIVEN_KEY, scopes: SCOPES, token });
    return made.apiKey.id;
  }
}
