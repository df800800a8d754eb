import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { InstanceResource } from '@trunkline/http/client';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Id } from '../../components/id.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { networksQuery } from '../../api/lists.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { useMay, useSession } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { CredentialsForm } from './credentials.tsx';
import { DayStrip } from './day-strip.tsx';
import { NumberActions } from './number-actions.tsx';
import styles from './number-page.module.css';
import { NumberFacts } from './number-facts.tsx';
import { NumberGroups } from './number-groups.tsx';
import { NumberQueue } from './number-queue.tsx';
import { NumberStatus } from './number-status.tsx';
import { NumberTimeline } from './number-timeline.tsx';
import { PhoneNumber } from './phone-number.tsx';
import { needsPasskey } from '../../domain/number-status.ts';
import { numberQuery } from './queries.ts';
import { SandboxPhone } from './sandbox-phone.tsx';

// Loaded lazily, because the code that draws a QR code is needed only while linking.
const LinkPhone = lazy(() =>
  import('./link-phone.tsx').then(({ LinkPhone: component }) => ({ default: component })),
);

const UsePasskey = lazy(() =>
  import('./use-passkey.tsx').then(({ UsePasskey: component }) => ({ default: component })),
);

const route = getRouteApi('/session/w/$workspace/numbers/$instance');

export function NumberPage(): ReactNode {
  const { workspace, instance } = route.useParams();
  // Some steps of connecting emit no event, so the page polls often until the number is connected.
  const calm = useRefreshMs();
  const query = useQuery({
    ...numberQuery(workspace, instance),
    refetchInterval: ({ state }) => (isChanging(state.data?.status) ? 2_000 : calm),
  });
  return (
    <LoadedPage query={query} title={instance} above={<Above workspace={workspace} />}>
      {(number) => <Number workspace={workspace} number={number} />}
    </LoadedPage>
  );
}

function isChanging(status: InstanceResource['status'] | undefined): boolean {
  return status === 'connecting' || status === 'qr_required';
}

function Number({
  workspace,
  number,
}: {
  readonly workspace: string;
  readonly number: InstanceResource;
}): ReactNode {
  const t = useTexts('numbers');
  const { features } = useSession();
  const mayChange = useMay('instances:write');
  const mayReadMessages = useMay('messages:read');
  const { cursor } = route.useSearch();
  const { data: networks } = useQuery(networksQuery(workspace));
  const network = networks?.find(({ name }) => name === number.network);
  const isLinking = number.status === 'qr_required';
  const credentials = network?.credentials ?? [];
  const isByCredentials = credentials.length > 0 && !network?.linking.includes('qr');
  return (
    <Page
      title={number.name}
      above={<Above workspace={workspace} />}
      facts={
        <>
          <PhoneNumber number={number} />
          <Id value={number.id} />
        </>
      }
      actions={
        mayChange && <NumberActions workspaceId={workspace} number={number} credentials={credentials} />
      }
    >
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <NumberStatus number={number} isByCredentials={isByCredentials} />
          {networks && !network && <p className={styles['quiet']}>{t.networkMissing(number.network)}</p>}
          {isLinking &&
            (mayChange ? (
              <Panel title={isByCredentials ? t.credentials : needsPasskey(number) ? t.usePasskey : t.link}>
                {isByCredentials ? (
                  <CredentialsForm workspaceId={workspace} instanceId={number.id} fields={credentials} />
                ) : (
                  <Suspense>
                    {needsPasskey(number) ? (
                      <UsePasskey workspaceId={workspace} instanceId={number.id} />
                    ) : (
                      <LinkPhone workspaceId={workspace} instanceId={number.id} network={network} />
                    )}
                  </Suspense>
                )}
              </Panel>
            ) : (
              <p className={styles['quiet']}>{t.noQrAccess}</p>
            ))}
          {features.sandbox && network?.simulated && mayChange && (
            <SandboxPhone workspaceId={workspace} number={number} />
          )}
          <NumberFacts number={number} network={networks ? (network?.title ?? number.network) : null} />
          {mayReadMessages && <NumberQueue workspaceId={workspace} instanceId={number.id} />}
        </div>
        <div className={styles['column']}>
          <DayStrip workspaceId={workspace} number={number} />
          <NumberTimeline workspaceId={workspace} instanceId={number.id} cursor={cursor} />
          {number.capabilities.includes('groups') && number.paired && (
            <NumberGroups workspaceId={workspace} number={number} />
          )}
        </div>
      </div>
    </Page>
  );
}

function Above({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('numbers');
  return (
    <Link to="/w/$workspace/numbers" params={{ workspace }}>
      {t.title}
    </Link>
  );
}
