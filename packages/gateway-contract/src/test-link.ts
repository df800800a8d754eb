import type {
  Activity,
  ClosedReason,
  Gateway,
  GatewayConnection,
  GatewayListener,
  GroupReport,
  IncomingMessage,
  LinkedProfile,
  OpenOptions,
  PasskeyStep,
  MessageReceipt,
  Restriction,
  Session,
} from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';

/** One report from a gateway. */
export type Report =
  | {
      readonly kind: 'qr';
      readonly code: string;
      readonly expiresAt: number;
      readonly pairingCode: string | undefined;
    }
  | { readonly kind: 'passkey'; readonly step: PasskeyStep; readonly expiresAt: number }
  | { readonly kind: 'connected'; readonly profile: LinkedProfile }
  | { readonly kind: 'closed'; readonly reason: ClosedReason }
  | { readonly kind: 'message'; readonly message: IncomingMessage }
  | { readonly kind: 'receipt'; readonly receipt: MessageReceipt }
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'groups'; readonly groups: readonly GroupReport[]; readonly full: boolean }
  | { readonly kind: 'restricted'; readonly restriction: Restriction | null };

/** An instance's connection. If the network asks for a new one, it is opened immediately, as the service would do. */
export interface TestLink {
  readonly reports: readonly Report[];
  readonly connection: () => GatewayConnection;
  /** Waits for the first report of this kind, at index `from` or later, that `holds` accepts. */
  first<Kind extends Report['kind']>(
    kind: Kind,
    holds?: (report: Extract<Report, { kind: Kind }>) => boolean,
    from?: number,
  ): Promise<Extract<Report, { kind: Kind }>>;
  all<Kind extends Report['kind']>(kind: Kind): readonly Extract<Report, { kind: Kind }>[];
}

export interface LinkOptions extends Partial<OpenOptions> {
  /** Called before a report counts as accepted. A rejection refuses the report. */
  readonly taking?: (report: Report) => Promise<void>;
}

export async function openLink(
  gateway: Gateway,
  session: Session,
  { taking = async () => {}, pairingNumber = null, proxyUrl = null, credentials = null }: LinkOptions = {},
): Promise<TestLink> {
  const reports: Report[] = [];
  let connection: GatewayConnection;
  const take = async (report: Report): Promise<void> => {
    await taking(report);
    reports.push(report);
  };
  const listener: GatewayListener = {
    qr: (code, expiresAt, pairingCode) => take({ kind: 'qr', code, expiresAt, pairingCode }),
    passkey: (step, expiresAt) => take({ kind: 'passkey', step, expiresAt }),
    connected: (profile) => take({ kind: 'connected', profile }),
    message: (message) => take({ kind: 'message', message }),
    receipt: (receipt) => take({ kind: 'receipt', receipt }),
    activity: (activity) => take({ kind: 'activity', activity }),
    groups: (groups, { full } = { full: false }) => take({ kind: 'groups', groups, full }),
    restricted: (restriction) => take({ kind: 'restricted', restriction }),
    async closed(reason) {
      await take({ kind: 'closed', reason });
      if (reason.kind === 'restart') connection = await open();
    },
  };
  const open = (): Promise<GatewayConnection> =>
    gateway.open(session, listener, { pairingNumber, proxyUrl, credentials });
  connection = await open();

  type Of<Kind extends Report['kind']> = Extract<Report, { kind: Kind }>;
  const all = <Kind extends Report['kind']>(kind: Kind, from = 0): readonly Of<Kind>[] =>
    reports.slice(from).filter((report): report is Of<Kind> => report.kind === kind);
  return {
    reports,
    connection: () => connection,
    all,
    first: (kind, holds = () => true, from = 0) =>
      eventually(() => {
        const found = all(kind, from).find(holds);
        if (!found)
          throw new Error(
            `The gateway has not reported "${kind}", or not with what is expected; it has reported ${reports.map((report) => report.kind).join(', ') || 'nothing'}.`,
          );
        return found;
      }),
  };
}
