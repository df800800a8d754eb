import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SearchField } from '../../components/search-field.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { MessagesSearch } from './search.ts';

const MESSAGE_ID = /^msg_[0-9a-z]{26}$/;

/** Finds messages by counterpart, or opens the message whose id is typed. */
export function MessageSearch({
  workspaceId,
  search,
}: {
  readonly workspaceId: string;
  readonly search: MessagesSearch;
}): ReactNode {
  const t = useTexts('messages');
  const navigate = useNavigate();
  const { counterpart, cursor: _, ...others } = search;
  const find = (wanted: string): void => {
    if (MESSAGE_ID.test(wanted)) {
      void navigate({
        to: '/w/$workspace/messages/$message',
        params: { workspace: workspaceId, message: wanted },
      });
      return;
    }
    void navigate({
      to: '/w/$workspace/messages',
      params: { workspace: workspaceId },
      search: { ...others, ...(wanted !== '' && { counterpart: wanted }) },
    });
  };
  return (
    <SearchField
      value={counterpart}
      label={t.searchLabel}
      hint={t.searchHint}
      action={t.search}
      onFind={find}
    />
  );
}
