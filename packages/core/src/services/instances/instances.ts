import { renderSVG } from 'uqr';
import { isId } from '../../domain/id.ts';
import { otherNews } from '../../domain/instance/instance-history.ts';
import { defaultInstanceName } from '../../domain/instance/instance.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { transition } from '../../domain/instance/instance-state.ts';
import { NO_OUTAGE } from '../../domain/instance/outage.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { checkMayCreateInstance } from '../../domain/workspace/plan-rules.ts';
import { newInstanceInput } from '../../inputs/instances.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { QrResource } from '../../resources/instance.ts';
import { timestamp } from '../../resources/time.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { createHistoryLog } from './history-log.ts';
import { checkCredentials } from './instance-credentials.ts';
import { checkProxyUrl, sealProxyUrl } from './instance-proxy.ts';
import { openQr } from './sealed-values.ts';

export async function createInstance(
  context: ServiceContext,
  workspaceId: string,
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(newInstanceInput, input);
  if (!read.ok) return read;
  const { proxy_url: proxyUrl = null, credentials, network = context.gateways.defaultNetwork } = read.value;
  if (!context.gateways.find(network)) return unknownNetwork(context);
  const acceptable = checkProxyUrl(context, proxyUrl, network);
  if (!acceptable.ok) return acceptable;
  const workspace = await context.storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();
  const allowed = checkMayCreateInstance(workspace.plan);
  if (!allowed.ok) return allowed;

  const now = context.clock.now();
  const id = context.newId('ins', now);
  const created: Instance = {
    id,
    workspaceId,
    name: read.value.name ?? defaultInstanceName(id),
    network,
    status: 'created',
    desired: 'stopped',
    phoneNumber: null,
    profileName: null,
    profilePictureUrl: null,
    capabilities: null,
    lastError: null,
    restriction: null,
    droppedAt: null,
    qr: null,
    passkey: null,
    pairingNumber: null,
    sealedProxyUrl: sealProxyUrl(context, id, proxyUrl),
    sealedCredentials: null,
    pace: read.value.pace ?? null,
    operation: null,
    operationOutcome: null,
    logoutRefused: false,
    statusChangedAt: now,
    linkedAt: null,
    connectedAt: null,
    disconnectedAt: null,
    lastSeenAt: null,
    ...NO_OUTAGE,
    createdAt: now,
    updatedAt: now,
    version: 0,
  };
  const given = credentials
    ? await checkCredentials(context, { ...created, proxyUrl: () => proxyUrl }, credentials)
    : null;
  if (given?.ok === false) return given;
  const linked = given && transition(created, given.value, now);
  const instance = linked?.kind === 'changed' ? linked.instance : created;
  const { instanceLimit } = workspace.plan;
  const history = createHistoryLog(context.newId, { workspaceId, instanceId: id, process: null });
  const entry = history.entryOf(otherNews(instance, 'created', { from: null }), now);
  const inserted = await context.storage.instances.insert(instance, instanceLimit, entry);
  return inserted === 'inserted'
    ? ok(instance)
    : refuse(
        'INSTANCE_LIMIT_REACHED',
        `The plan allows ${instanceLimit} instances: delete one, or change the plan.`,
      );
}

function unknownNetwork({ gateways }: ServiceContext): ReturnType<typeof invalid> {
  const known = gateways.all.map(({ network }) => network).join(', ');
  return invalid({ network: [`Must be a network of this service: ${known}.`] });
}

export async function findInstance(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<Instance>> {
  const instance = isId('ins', id) ? await context.storage.instances.find(workspaceId, id) : null;
  return instance ? ok(instance) : noInstance();
}

export function noInstance(): ReturnType<typeof refuse> {
  return refuse('INSTANCE_NOT_FOUND', 'There is no such instance in this workspace.');
}

/** Returns the current QR if the instance waits for a scan and the code has not expired. */
export async function readQr(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<QrResource>> {
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const { status, qr, passkey } = found.value;
  if (passkey) {
    return refuse(
      'QR_NOT_AVAILABLE',
      'A phone has taken the QR or the code, and the network now asks for the passkey of its account: see GET /instances/{instance}/passkey.',
    );
  }
  if (status !== 'qr_required' || qr === null || qr.expiresAt <= context.clock.now()) {
    return refuse(
      'QR_NOT_AVAILABLE',
      status === 'qr_required'
        ? 'The last QR has expired and the network has not sent the next one: repeat the request in a few seconds.'
        : `There is a QR only while the status is qr_required, and it is ${status}. Connect an instance that has no linked number to get one.`,
    );
  }
  const { code, pairingCode } = openQr(context.sealer, id, qr);
  return ok({
    svg: renderSVG(code),
    code,
    pairing_code: pairingCode,
    expires_at: timestamp(qr.expiresAt),
  });
}
