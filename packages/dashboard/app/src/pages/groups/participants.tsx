import { unwrap } from '@trunkline/http/client';
import type {
  GroupDetailResource,
  GroupParticipantResource,
  ParticipantsInput,
} from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { Panel } from '../../components/panel.tsx';
import { Table } from '../../components/table.tsx';
import { participantOf, personText } from '../../domain/participants.ts';
import { phoneText } from '../../domain/phone-text.ts';
import { useTexts } from '../../texts/language.tsx';
import { useOutcomeText } from './outcome-text.ts';
import { useGroupChange } from './use-group-change.ts';

interface ParticipantsProps {
  readonly workspaceId: string;
  readonly group: GroupDetailResource;
  readonly mayChange: boolean;
}

type Change = Pick<ParticipantsInput, 'change'> & { readonly person: string };

/** The participants of a group, each with the changes that an admin can make. */
export function Participants({ workspaceId, group, mayChange }: ParticipantsProps): ReactNode {
  const t = useTexts('groups');
  const outcomeText = useOutcomeText();
  const { groups } = clientOf(workspaceId);
  const [removed, setRemoved] = useState<GroupParticipantResource | null>(null);
  const change = useGroupChange(workspaceId, {
    act: async ({ change: kind, person }: Change) =>
      unwrap(await groups.changeParticipants(group.id, { change: kind, participants: [person] })).data,
    words: (results) => results.map(outcomeText).join(' '),
  });
  const actions = (one: GroupParticipantResource): ReactNode => {
    const person = participantOf(one);
    if (one.is_self || person === null || one.role === 'owner') return null;
    const isAdmin = one.role === 'admin';
    const who = personText(one);
    return (
      <>
        <Button
          kind="bare"
          aria-label={isAdmin ? t.demoteOf(who) : t.promoteOf(who)}
          onClick={() => change.mutate({ change: isAdmin ? 'demote' : 'promote', person })}
        >
          {isAdmin ? t.demote : t.promote}
        </Button>{' '}
        <Button kind="bare" aria-label={t.removeOf(who)} onClick={() => setRemoved(one)}>
          {t.remove}
        </Button>
      </>
    );
  };
  const leaving = removed && participantOf(removed);
  return (
    <Panel title={t.participants} isFlush>
      {change.error !== null && <ErrorView error={change.error} />}
      <Table
        caption={t.participants}
        rows={group.participants}
        keyOf={(one) => participantOf(one) ?? personText(one)}
        columns={[
          { key: 'person', title: t.person, cell: (one) => personText(one) },
          {
            key: 'number',
            title: t.number,
            cell: ({ phone_number }) => (phone_number === null ? t.hidden : phoneText(phone_number)),
          },
          {
            key: 'role',
            title: t.role,
            cell: ({ role, is_self }) => (is_self ? t.self(t.roles[role]) : t.roles[role]),
          },
          ...(mayChange ? [{ key: 'actions', title: t.actions, isAction: true, cell: actions }] : []),
        ]}
      />
      <Confirm
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        title={t.removeTitle(removed ? personText(removed) : '')}
        verb={t.remove}
        act={async () => leaving && change.mutateAsync({ change: 'remove', person: leaving })}
      >
        {t.removeText}
      </Confirm>
    </Panel>
  );
}
