import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { workspaceQuery } from '../../api/admin.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Id } from '../../components/id.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshMs } from '../../live/live.tsx';
import { Administration } from '../../shell/administration.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { Contents } from './contents.tsx';
import { PlanBadge } from './plan-badge.tsx';
import { PlanForm } from './plan-form.tsx';
import { RetentionForm } from './retention-form.tsx';
import { StateBadge } from './state-badge.tsx';
import styles from './workspace-page.module.css';
import { WorkspaceActions } from './workspace-actions.tsx';

const route = getRouteApi('/session/workspaces/$workspace');

export function WorkspacePage(): ReactNode {
  const t = useTexts('workspaces');
  const { workspace } = route.useParams();
  return (
    <Administration title={t.title} workspaceId={workspace}>
      <LoadedWorkspace id={workspace} />
    </Administration>
  );
}

function LoadedWorkspace({ id }: { readonly id: string }): ReactNode {
  const query = useQuery({ ...workspaceQuery(id), refetchInterval: useRefreshMs(10_000) });
  return (
    <LoadedPage query={query} title={id} above={<Above />}>
      {(workspace) => <Workspace workspace={workspace} />}
    </LoadedPage>
  );
}

function Workspace({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const { id, name, created_at, suspended_at } = workspace;
  const t = useTexts('workspaces');
  return (
    <Page
      title={name}
      above={<Above />}
      facts={
        <>
          <Id value={id} />
          <span>
            {t.created} <Time at={created_at} as="ago" />
          </span>
        </>
      }
      actions={<WorkspaceActions workspace={workspace} />}
    >
      <section className={styles['state']} aria-label={t.state}>
        <p className={styles['headline']}>
          <span role="status">
            <StateBadge workspace={workspace} />
          </span>
          {suspended_at !== null && (
            <span className={styles['since']}>
              <Time at={suspended_at} as="distance" />
            </span>
          )}
        </p>
        <p>{suspended_at === null ? t.activeMeaning : t.suspendedMeaning}</p>
      </section>
      <Contents workspaceId={id} />
      <Plan workspace={workspace} />
      <Retention workspace={workspace} />
    </Page>
  );
}

function Plan({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const t = useTexts('workspaces');
  const { locale } = useLanguage();
  const isAdmin = useIsAdmin();
  const [isChanging, setChanging] = useState(false);
  const close = (): void => setChanging(false);
  const { plan } = workspace;
  const limit = (count: number | null): string =>
    count === null ? t.noLimit : new Intl.NumberFormat(locale).format(count);
  return (
    <Panel
      title={t.plan}
      action={isAdmin && <Button onClick={() => setChanging(true)}>{t.changePlan}</Button>}
    >
      <Facts
        facts={[
          { name: t.subscription, value: <PlanBadge workspace={workspace} /> },
          { name: t.instanceLimit, value: limit(plan.instance_limit) },
          { name: t.webhookLimit, value: limit(plan.webhook_limit) },
          {
            name: t.trialLimit,
            value: plan.subscription === 'trial' ? limit(plan.trial_message_limit) : null,
          },
        ]}
      />
      <Dialog isOpen={isChanging} onClose={close} title={t.changePlan}>
        <PlanForm workspace={workspace} onClose={close} />
      </Dialog>
    </Panel>
  );
}

function Retention({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const t = useTexts('workspaces');
  const isAdmin = useIsAdmin();
  const [isChanging, setChanging] = useState(false);
  const close = (): void => setChanging(false);
  const { messages_days: days } = workspace;
  const kept = typeof days === 'number' ? t.retentionDays(days) : t.retentions[days ?? 'service'];
  return (
    <Panel
      title={t.retention}
      action={isAdmin && <Button onClick={() => setChanging(true)}>{t.changeRetention}</Button>}
    >
      <Facts facts={[{ name: t.retentionKept, value: kept }]} />
      <Dialog isOpen={isChanging} onClose={close} title={t.changeRetention}>
        <RetentionForm workspace={workspace} onClose={close} />
      </Dialog>
    </Panel>
  );
}

function Above(): ReactNode {
  const t = useTexts('workspaces');
  return <Link to="/workspaces">{t.title}</Link>;
}
