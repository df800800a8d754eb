import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SearchField } from '../../components/search-field.tsx';
import { useTexts } from '../../texts/language.tsx';

const COUNTERPART_ID = /^(con|grp)_[0-9a-z]{26}$/;

/** Finds chats by a part of a name or number, and opens the chat whose contact or group id is typed. */
export function ChatFinder({
  workspaceId,
  instanceId,
  find,
}: {
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly find: string | undefined;
}): ReactNode {
  const t = useTexts('chats');
  const navigate = useNavigate();
  const go = (wanted: string): void => {
    if (COUNTERPART_ID.test(wanted)) {
      void navigate({
        to: '/w/$workspace/chats/$counterpart',
        params: { workspace: workspaceId, counterpart: wanted },
        search: { instance: instanceId },
      });
      return;
    }
    void navigate({
      to: '/w/$workspace/chats',
      params: { workspace: workspaceId },
      search: { instance: instanceId, ...(wanted !== '' && { find: wanted }) },
    });
  };
  return <SearchField value={find} label={t.searchLabel} hint={t.searchHint} action={t.search} onFind={go} />;
}
