import { LINK_PAGE_MS } from '../../domain/instance/credential-fields.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { GatewayConnection, GatewayListener } from '../../ports/gateway.ts';
import type { ServiceContext } from '../context.ts';
import { LINK_PAGE } from '../sealer.ts';
import { findInstance } from './instances.ts';
import { openQr } from './sealed-values.ts';

/**
 * A connection that asks a person for the credentials of an instance: its QR is the address of the page for them, and
 * expires after an hour. Nothing is sent to the network.
 */
export function askForCredentials(
  { sealer, settings, clock, logger }: ServiceContext,
  { workspaceId, id }: Pick<Instance, 'workspaceId' | 'id'>,
  listener: GatewayListener,
): GatewayConnection {
  const { linkPage } = settings;
  if (linkPage === undefined)
    logger.warn(
      { instanceId: id },
      'an instance waits for its credentials, and no page for them is served at a known address, so that its QR only says what to do: give it the credentials by the API, or set linkPage (PUBLIC_URL)',
    );
  const code =
    linkPage === undefined
      ? `This number is linked by credentials: give them to the instance ${id} in the dashboard or by the API (PATCH /instances/${id}). If PUBLIC_URL is set, this QR opens a page for them.`
      : `${linkPage}/${sealer.sealText(`${workspaceId} ${id}`, LINK_PAGE)}`;
  // The service has logged a report that failed, and connects again.
  const reported = (report: Promise<void>): void => void report.catch(() => undefined);
  reported(listener.qr(code, clock.now() + LINK_PAGE_MS));
  const cancel = clock.setTimer(LINK_PAGE_MS, () => reported(listener.closed({ kind: 'qr_timeout' })));
  const close = async (): Promise<void> => cancel();
  return {
    send: async () => ({ kind: 'not_sent', reason: 'the instance has no credentials' }),
    close,
    logout: close,
  };
}

/** Finds the instance whose current QR leads to the page with this token. */
export async function findLinkPage(context: ServiceContext, token: string): Promise<Result<Instance>> {
  const [workspaceId = '', id = ''] = openToken(context, token).split(' ');
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return gone();
  const { status, qr } = found.value;
  const isShown = status === 'qr_required' && qr !== null && qr.expiresAt > context.clock.now();
  return isShown && openQr(context.sealer, id, qr).code.endsWith(`/${token}`) ? found : gone();
}

function openToken({ sealer }: ServiceContext, token: string): string {
  try {
    return sealer.openText(token, LINK_PAGE);
  } catch {
    return ''; // not a token of this service
  }
}

function gone(): ReturnType<typeof refuse> {
  return refuse(
    'QR_NOT_AVAILABLE',
    'This address is no longer valid: the number has its credentials by now, or the code was replaced. Connect the number again for a new code.',
  );
}
