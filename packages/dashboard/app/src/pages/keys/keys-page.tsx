import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { KeyResource, NewKeyResource } from '../../../../src/schemas/admin.ts';
import { keysQuery } from '../../api/admin.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Panel } from '../../components/panel.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { KEY_STATES, keyState } from '../../domain/key-state.ts';
import { useRefreshMs } from '../../live/live.tsx';
import { Administration } from '../../shell/administration.tsx';
import { useIsAdmin } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyTable } from './key-table.tsx';

const route = getRouteApi('/session/w/$workspace/keys');

export function KeysPage(): ReactNode {
  const t = useTexts('keys');
  const { workspace } = route.useParams();
  return (
    <Administration title={t.title} workspaceId={workspace}>
      <Keys workspace={workspace} />
    </Administration>
  );
}

function Keys({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('keys');
  const { state } = route.useSearch();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewKeyResource | null>(null);
  const query = useQuery({ ...keysQuery(workspace), refetchInterval: useRefreshMs(10_000) });
  const create = useIsAdmin() && (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {t.add}
    </Button>
  );
  return (
    <Page title={t.title} actions={create}>
      <Panel
        title={t.title}
        isTitleUnseen
        isFlush
        action={
          <FilterSelect
            name="state"
            label={t.status}
            value={state}
            options={KEY_STATES.map((value) => ({ value, label: t.states[value] }))}
          />
        }
      >
        <Loaded query={query}>
          {(keys) => {
            const shown = keys.filter((key) => state === undefined || keyState(key, Date.now()) === state);
            return shown.length > 0 ? (
              <KeyTable workspaceId={workspace} keys={shown} />
            ) : (
              <None workspace={workspace} keys={keys} create={create} />
            );
          }}
        </Loaded>
      </Panel>
      <CreateKey
        workspaceId={workspace}
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onCreated={setCreated}
      />
      <SecretOnce
        secret={created?.token ?? null}
        onClose={() => setCreated(null)}
        title={t.newTitle(created?.name ?? '')}
        label={t.token}
      >
        {t.newHint}
      </SecretOnce>
    </Page>
  );
}

function None({
  workspace,
  keys,
  create,
}: {
  readonly workspace: string;
  readonly keys: readonly KeyResource[];
  readonly create: ReactNode;
}): ReactNode {
  const t = useTexts('keys');
  const common = useTexts('common');
  if (keys.length === 0) {
    return (
      <EmptyState icon="key" title={t.empty} action={create}>
        {t.emptyHint}
      </EmptyState>
    );
  }
  const clear = (
    <Link to="/w/$workspace/keys" params={{ workspace }}>
      {common.clearFilters}
    </Link>
  );
  return <EmptyState icon="search" title={t.noneMatch} action={clear} />;
}
