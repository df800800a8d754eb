import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { JoinDecisionInput, JoinRequestResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Panel } from '../../components/panel.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { participantOf, personText } from '../../domain/participants.ts';
import { useTexts } from '../../texts/language.tsx';
import { useOutcomeText } from './outcome-text.ts';
import { joinRequestsQuery } from './queries.ts';
import { useGroupChange } from './use-group-change.ts';

type Decision = Pick<JoinDecisionInput, 'decision'> & { readonly person: string };

/** The people who ask to be let in; nothing if there are none. */
export function JoinRequests({
  workspaceId,
  groupId,
}: {
  readonly workspaceId: string;
  readonly groupId: string;
}): ReactNode {
  const t = useTexts('groups');
  const outcomeText = useOutcomeText();
  const { data: requests = [] } = useQuery(joinRequestsQuery(workspaceId, groupId));
  const decide = useGroupChange(workspaceId, {
    act: async ({ decision, person }: Decision) => {
      const input = { decision, participants: [person] };
      return unwrap(await clientOf(workspaceId).groups.decideJoinRequests(groupId, input)).data;
    },
    words: (results) => results.map(outcomeText).join(' '),
  });
  if (requests.length === 0) return null;
  const actions = (one: JoinRequestResource): ReactNode => {
    const person = participantOf(one);
    if (person === null) return null;
    const who = personText(one);
    return (
      <>
        <Button
          kind="bare"
          aria-label={t.approveOf(who)}
          onClick={() => decide.mutate({ decision: 'approve', person })}
        >
          {t.approve}
        </Button>{' '}
        <Button
          kind="bare"
          aria-label={t.rejectOf(who)}
          onClick={() => decide.mutate({ decision: 'reject', person })}
        >
          {t.reject}
        </Button>
      </>
    );
  };
  return (
    <Panel title={t.requests} isFlush>
      {decide.error !== null && <ErrorView error={decide.error} />}
      <Table
        caption={t.requests}
        rows={requests}
        keyOf={(one) => participantOf(one) ?? personText(one)}
        columns={[
          { key: 'person', title: t.person, cell: (one) => personText(one) },
          {
            key: 'since',
            title: t.since,
            cell: ({ requested_at: at }) => (at === null ? '–' : <Time at={at} />),
          },
          { key: 'actions', title: t.actions, isAction: true, cell: actions },
        ]}
      />
    </Panel>
  );
}
