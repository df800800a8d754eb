import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import type { Instance } from '../domain/instance/instance.ts';
import type { PendingDownload } from '../ports/storage/download-store.ts';
import { changeTries } from '../runtime/retry.ts';
import type { ServiceContext } from './context.ts';
import { changeEndpoint } from './endpoints.ts';
import {
  credentialsPurpose,
  endpointSecretPurpose,
  proxyUrlPurpose,
  referencePurpose,
  sessionPurpose,
} from './sealer.ts';
import type { SealPurpose } from './sealer.ts';
import { resealSecretKeyCheck } from './secret-key-check.ts';

const PAGE = 100;
/** Session values per step; a session may have a hundred thousand. */
const SESSION_PAGE = 500;

export interface ResealOptions {
  /** Called between steps; true ends the run. */
  readonly isStopping: () => boolean;
  /** Called with the number of secrets sealed so far. */
  readonly onProgress?: (sealed: number) => void;
}

export interface Resealed {
  /** How many secrets were resealed, including the stored check of the secret key. */
  readonly sealed: number;
  /** Whether all secrets are sealed with the first key now. */
  readonly isComplete: boolean;
}

/**
 * Reseals, with the first `secretKey`, the secrets that another key has sealed. The stored check of the secret key
 * is resealed last, so that a start requires the previous key while a secret needs it, and an interrupted run
 * can start again. QR and pairing codes and the steps of passkeys are skipped, because they expire
 * within minutes.
 */
export async function resealAll(
  context: ServiceContext,
  { isStopping, onProgress = () => {} }: ResealOptions,
): Promise<Resealed> {
  const { storage, sealer, logger } = context;
  let sealed = 0;
  const count = (secrets: number): void => {
    sealed += secrets;
    onProgress(sealed);
  };

  const resealWorkspace = async (workspaceId: string): Promise<boolean> => {
    let isComplete = true;
    for (const endpoint of await storage.endpoints.list(workspaceId)) {
      isComplete = (await succeeds({ webhookId: endpoint.id }, () => resealEndpoint(endpoint))) && isComplete;
    }
    for (const instance of await storage.instances.list(workspaceId)) {
      const { id } = instance;
      isComplete = (await succeeds({ instanceId: id }, () => resealInstance(instance))) && isComplete;
      isComplete = (await succeeds({ instanceId: id }, () => resealSession(id))) && isComplete;
      isComplete = (await succeeds({ instanceId: id }, () => resealReferences(id))) && isComplete;
    }
    return isComplete;
  };

  /** Logs a failure, because one secret that cannot be opened must not stop the others. */
  const succeeds = async (
    facts: Readonly<Record<string, unknown>>,
    work: () => Promise<void>,
  ): Promise<boolean> => {
    if (isStopping()) return false;
    try {
      await work();
      return true;
    } catch (error) {
      logger.error(
        { ...facts, err: error },
        'a secret could not be sealed with the first secretKey: keep the previous ones in the list; it is tried again in a minute',
      );
      return false;
    }
  };

  const resealEndpoint = async (listed: Endpoint): Promise<void> => {
    const { workspaceId, id } = listed;
    const purpose = endpointSecretPurpose(id);
    const resealed = ({ sealedSecret, sealedPreviousSecret }: Endpoint): Partial<Endpoint> => {
      const secret = sealer.resealText(sealedSecret, purpose);
      const previous = sealedPreviousSecret && sealer.resealText(sealedPreviousSecret, purpose);
      return {
        ...(secret === null ? {} : { sealedSecret: secret }),
        ...(previous === null ? {} : { sealedPreviousSecret: previous }),
      };
    };
    if (Object.keys(resealed(listed)).length === 0) return;
    const changed = await changeEndpoint(context, { workspaceId, id }, (endpoint) => ({
      endpoint: { ...endpoint, ...resealed(endpoint) },
    }));
    // A webhook that was deleted in the meantime needs no sealing.
    if (changed.ok) count(1);
  };

  /** Reseals the proxy and the credentials of an instance. */
  const resealInstance = async (listed: Instance): Promise<void> => {
    const { id, workspaceId } = listed;
    const nextTry = changeTries(context, 'A change of an instance');
    const resealed = (sealed: string | null, purpose: SealPurpose): string | null =>
      sealed && sealer.resealText(sealed, purpose);
    for (
      let instance: Instance | null = listed;
      instance;
      instance = await storage.instances.find(workspaceId, id)
    ) {
      const sealedProxyUrl = resealed(instance.sealedProxyUrl, proxyUrlPurpose(id));
      const sealedCredentials = resealed(instance.sealedCredentials, credentialsPurpose(id));
      const changes = {
        ...(sealedProxyUrl && { sealedProxyUrl }),
        ...(sealedCredentials && { sealedCredentials }),
      };
      const secrets = Object.keys(changes).length;
      if (secrets === 0) return;
      await nextTry();
      const written = await storage.instances.write({
        instance: { ...instance, ...changes },
        event: null,
        lease: null,
      });
      if (written.kind === 'written') return count(secrets);
    }
  };

  const resealSession = async (instanceId: string): Promise<void> => {
    let after: string | null = null;
    do {
      const names = await storage.sessions.names(instanceId, { prefix: '', after, limit: SESSION_PAGE });
      await resealValues(instanceId, names);
      after = names.length === SESSION_PAGE ? (names.at(-1) ?? null) : null;
    } while (after !== null && !isStopping());
  };

  const resealValues = async (instanceId: string, names: readonly string[]): Promise<void> => {
    const stored = await storage.sessions.read(instanceId, names);
    const replacements = new Map<string, { readonly from: Uint8Array; readonly to: Uint8Array }>();
    for (const [name, from] of stored) {
      const to = sealer.reseal(from, sessionPurpose(instanceId, name));
      if (to !== null) replacements.set(name, { from, to });
    }
    if (replacements.size === 0) return;
    await storage.sessions.replace(instanceId, replacements);
    count(replacements.size);
  };

  const resealReferences = async (instanceId: string): Promise<void> => {
    let after: string | null = null;
    do {
      const page: readonly PendingDownload[] = await storage.downloads.list(instanceId, {
        after,
        limit: PAGE,
      });
      const replacements = new Map<string, { readonly from: Uint8Array; readonly to: Uint8Array }>();
      for (const { messageId, sealedReference: from } of page) {
        const to = sealer.reseal(from, referencePurpose(messageId));
        if (to !== null) replacements.set(messageId, { from, to });
      }
      if (replacements.size > 0) {
        await storage.downloads.replace(instanceId, replacements);
        count(replacements.size);
      }
      after = page.length === PAGE ? (page.at(-1)?.messageId ?? null) : null;
    } while (after !== null && !isStopping());
  };

  let isComplete = true;
  let after: string | null = null;
  do {
    const workspaces = await storage.workspaces.list({ after, limit: PAGE });
    for (const { id } of workspaces) isComplete = (await resealWorkspace(id)) && isComplete;
    after = workspaces.length === PAGE ? (workspaces.at(-1)?.id ?? null) : null;
  } while (after !== null && !isStopping());
  if (!isComplete || isStopping()) return { sealed, isComplete: false };
  if (await resealSecretKeyCheck(context)) count(1);
  return { sealed, isComplete: true };
}
