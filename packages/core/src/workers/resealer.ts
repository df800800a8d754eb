import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import type { Instance } from '../domain/instance/instance.ts';
import type { PendingDownload } from '../ports/storage/download-store.ts';
import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { changeEndpoint } from '../services/endpoints.ts';
import {
  endpointSecretPurpose,
  proxyUrlPurpose,
  referencePurpose,
  SECRET_KEY_CHECK,
  sessionPurpose,
} from '../services/sealer.ts';
import { resealSecretKeyCheck, secretKeyCheck } from '../services/secret-key-check.ts';

/** How long a pass that left something behind is waited for to be made again. */
const AGAIN_MS = 60_000;
const PAGE = 100;
/** A session may have a hundred thousand values. */
const SESSION_PAGE = 500;

/**
 * Seals again, with the first `secretKey`, what a former one or a former version has sealed: once for each start. The
 * check of the key comes last, so that the database asks for the former key for as long as something needs it.
 * Pairing codes are left alone: they run out within a minute.
 */
export function createResealer(context: ServiceContext, keys: number): Worker {
  const { storage, sealer, clock, logger } = context;
  let isStopping = false;
  let isDone = false;

  /** One pass over everything; whether all of it is sealed with the first key now. */
  const reseal = async (): Promise<boolean> => {
    // With a single key, with which the check was sealed, there is nothing that another one could have sealed.
    const isCurrent = sealer.resealText(await secretKeyCheck(context), SECRET_KEY_CHECK) === null;
    if (keys === 1 && isCurrent) return true;
    let isComplete = true;
    let after: string | null = null;
    do {
      const workspaces = await storage.workspaces.list({ after, limit: PAGE });
      for (const { id } of workspaces) isComplete = (await resealWorkspace(id)) && isComplete;
      after = workspaces.length === PAGE ? (workspaces.at(-1)?.id ?? null) : null;
    } while (after !== null && !isStopping);
    if (!isComplete || isStopping) return false;
    await resealSecretKeyCheck(context);
    logger.info(
      { keys },
      'everything is sealed with the first secretKey; former ones can be taken out of the list',
    );
    return true;
  };

  const resealWorkspace = async (workspaceId: string): Promise<boolean> => {
    let isComplete = true;
    for (const endpoint of await storage.endpoints.list(workspaceId)) {
      isComplete = (await succeeds({ webhookId: endpoint.id }, () => resealEndpoint(endpoint))) && isComplete;
    }
    for (const instance of await storage.instances.list(workspaceId)) {
      const { id } = instance;
      isComplete = (await succeeds({ instanceId: id }, () => resealProxyUrl(instance))) && isComplete;
      isComplete = (await succeeds({ instanceId: id }, () => resealSession(id))) && isComplete;
      isComplete = (await succeeds({ instanceId: id }, () => resealReferences(id))) && isComplete;
    }
    return isComplete;
  };

  /** What cannot be opened must not keep the rest from being resealed. */
  const succeeds = async (
    facts: Readonly<Record<string, unknown>>,
    work: () => Promise<void>,
  ): Promise<boolean> => {
    if (isStopping) return false;
    try {
      await work();
      return true;
    } catch (error) {
      logger.error(
        { ...facts, err: error },
        'a secret could not be sealed with the first secretKey: keep the former ones in the list; it is tried again in a minute',
      );
      return false;
    }
  };

  const resealEndpoint = async ({ workspaceId, id, sealedSecret }: Endpoint): Promise<void> => {
    const purpose = endpointSecretPurpose(id);
    if (sealer.resealText(sealedSecret, purpose) === null) return;
    // One that is deleted meanwhile has nothing to seal.
    await changeEndpoint(context, { workspaceId, id }, (endpoint) => ({
      endpoint: {
        ...endpoint,
        sealedSecret: sealer.resealText(endpoint.sealedSecret, purpose) ?? endpoint.sealedSecret,
      },
    }));
  };

  const resealProxyUrl = async (listed: Instance): Promise<void> => {
    const { id, workspaceId } = listed;
    for (
      let instance: Instance | null = listed;
      instance?.sealedProxyUrl;
      instance = await storage.instances.find(workspaceId, id)
    ) {
      const sealedProxyUrl = sealer.resealText(instance.sealedProxyUrl, proxyUrlPurpose(id));
      if (sealedProxyUrl === null) return;
      const resealed = { ...instance, sealedProxyUrl };
      const written = await storage.instances.write({ instance: resealed, event: null, lease: null });
      if (written.kind === 'written') return;
    }
  };

  const resealSession = async (instanceId: string): Promise<void> => {
    let after: string | null = null;
    do {
      const names = await storage.sessions.names(instanceId, { prefix: '', after, limit: SESSION_PAGE });
      await resealValues(instanceId, names);
      after = names.length === SESSION_PAGE ? (names.at(-1) ?? null) : null;
    } while (after !== null);
  };

  const resealValues = async (instanceId: string, names: readonly string[]): Promise<void> => {
    const stored = await storage.sessions.read(instanceId, names);
    const replacements = new Map<string, { readonly from: Uint8Array; readonly to: Uint8Array }>();
    for (const [name, from] of stored) {
      const to = sealer.reseal(from, sessionPurpose(instanceId, name));
      if (to !== null) replacements.set(name, { from, to });
    }
    if (replacements.size > 0) await storage.sessions.replace(instanceId, replacements);
  };

  /** Of the files that messages of the instance still wait for. */
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
      if (replacements.size > 0) await storage.downloads.replace(instanceId, replacements);
      after = page.length === PAGE ? (page.at(-1)?.messageId ?? null) : null;
    } while (after !== null && !isStopping);
  };

  const loop = createLoop({
    name: 'resealer',
    clock,
    logger,
    everyMs: AGAIN_MS,
    pass: async () => {
      if (!isDone) isDone = await reseal();
      return { more: false, nextAt: null };
    },
  });
  return {
    start() {
      isStopping = false;
      loop.start();
    },
    async stop() {
      isStopping = true;
      await loop.stop();
    },
  };
}
