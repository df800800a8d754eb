import { useQuery } from '@tanstack/react-query';
import type { VoteResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { nameText } from '../../domain/name-text.ts';
import { useTexts } from '../../texts/language.tsx';
import { votesQuery } from './queries.ts';

/** The answers of a poll, each with the people who have chosen it. */
export function PollVotes({
  workspaceId,
  messageId,
  options,
}: {
  readonly workspaceId: string;
  readonly messageId: string;
  readonly options: readonly string[];
}): ReactNode {
  const t = useTexts('messages');
  return (
    <Loaded query={useQuery(votesQuery(workspaceId, messageId))}>
      {({ votes, isComplete }) => (
        <>
          <Facts
            facts={options.map((option) => {
              const people = votes.filter((vote) => vote.options.includes(option));
              const names = people.map(
                (vote) => voterName(vote) ?? (vote.own ? t.ownVote : t.unknownCounterpart),
              );
              return { name: option, value: <bdi>{[String(people.length), ...names].join(' · ')}</bdi> };
            })}
          />
          {!isComplete && <p>{t.moreVotes}</p>}
        </>
      )}
    </Loaded>
  );
}

function voterName({ contact }: VoteResource): string | null {
  return nameText(contact?.name) ?? (contact?.phone_number ? `+${contact.phone_number}` : null);
}
