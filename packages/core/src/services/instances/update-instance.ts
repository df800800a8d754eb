import { otherNews } from '../../domain/instance/instance-history.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { instanceInput } from '../../inputs/instances.ts';
import { readInput } from '../../inputs/read-input.ts';
import { changeTries } from '../../runtime/retry.ts';
import type { ServiceContext } from '../context.ts';
import { noGateway } from '../gateways.ts';
import { changeInstance } from './change-instance.ts';
import { createHistoryLog } from './history-log.ts';
import { checkCredentials } from './instance-credentials.ts';
import { checkProxyUrl, openProxyUrl, sealProxyUrl } from './instance-proxy.ts';
import { findInstance } from './instances.ts';

interface Named {
  readonly workspaceId: string;
  readonly id: string;
}

/**
 * Changes the name, the proxy, the pace and the credentials, if the input has them. A new proxy is used by the next
 * connection; a new pace immediately; and with new credentials, an open connection is made again.
 */
export async function updateInstance(
  context: ServiceContext,
  named: Named,
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(instanceInput, input);
  if (!read.ok) return read;
  const { name, proxy_url: proxyUrl, pace, credentials } = read.value;
  const sealed = proxyUrl === undefined ? undefined : sealProxyUrl(context, named.id, proxyUrl);
  const found = await findInstance(context, named.workspaceId, named.id);
  if (!found.ok) return found;
  const { network } = found.value;
  const acceptable = checkProxyUrl(context, proxyUrl, network);
  if (!acceptable.ok) return acceptable;
  const changes = (instance: Instance): Instance => ({
    ...instance,
    name: name ?? instance.name,
    sealedProxyUrl: sealed === undefined ? instance.sealedProxyUrl : sealed,
    pace: pace === undefined ? instance.pace : pace,
  });
  const hasNews = credentials !== undefined && (credentials ?? found.value.sealedCredentials) !== null;
  if (!hasNews) return writeChanges(context, found.value, changes);
  if (!context.gateways.find(network)) return noGateway(network);
  const given = await checkCredentials(
    context,
    {
      id: named.id,
      network,
      proxyUrl: () => (proxyUrl === undefined ? openProxyUrl(context, found.value) : proxyUrl),
    },
    credentials,
  );
  if (!given.ok) return given;
  const written = await changeInstance(context, { ...named, lease: null, changes }, given.value);
  if (written.ok) await applyPace(context, found.value, written.value);
  return written;
}

/** `known` is the instance as it was read last, which saves the first read. */
async function writeChanges(
  context: ServiceContext,
  known: Instance,
  changes: (instance: Instance) => Instance,
): Promise<Result<Instance>> {
  const { id, workspaceId } = known;
  const nextTry = changeTries(context, 'A change of an instance');
  for (let before = known; ;) {
    await nextTry();
    const now = context.clock.now();
    const instance = { ...changes(before), updatedAt: now };
    const hasNewProxy = before.sealedProxyUrl !== instance.sealedProxyUrl;
    const isSame = before.name === instance.name && before.pace === instance.pace;
    if (isSame && !hasNewProxy) return ok(before);
    const history = createHistoryLog(context.newId, { workspaceId, instanceId: id, process: null });
    const entry = hasNewProxy ? history.entryOf(otherNews(instance, 'proxy_changed'), now) : null;
    const written = await context.storage.instances.write({ instance, event: null, lease: null, entry });
    if (written.kind === 'written') {
      await applyPace(context, before, written.instance);
      return ok(written.instance);
    }
    const found = await findInstance(context, workspaceId, id);
    if (!found.ok) return found;
    before = found.value;
  }
}

/** Considers the messages that the previous pace holds again. */
async function applyPace(
  { storage, clock }: ServiceContext,
  before: Pick<Instance, 'pace'>,
  { id, pace }: Pick<Instance, 'id' | 'pace'>,
): Promise<void> {
  if (before.pace !== pace) await storage.messages.releasePaced(id, { people: null, now: clock.now() });
}
