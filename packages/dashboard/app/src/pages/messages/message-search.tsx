import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SearchField } from '../../components/search-field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { digitsOf } from '../../domain/digits-of.ts';
import type { MessagesSearch } from './search.ts';

const MESSAGE_ID = /^msg_[0-9a-z]{26}$/;

/** The id of a contact or a group. */
const COUNTERPART_ID = /^(con|grp)_[0-9a-z]{26}$/;

/** Finds messages by counterpart or by words, or opens the message whose id is typed. */
export function MessageSearch({
  workspaceId,
  search,
}: {
  readonly workspaceId: string;
  readonly search: MessagesSearch;
}): ReactNode {
  const t = useTexts('messages');
  const navigate = useNavigate();
  const { counterpart, q, cursor: _, ...others } = search;
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
      search: { ...others, ...(wanted !== '' && { [fieldFor(wanted)]: wanted }) },
    });
  };
  return (
    <SearchField
      value={counterpart ?? q}
      label={t.searchLabel}
      hint={t.searchHint}
      action={t.search}
      onFind={find}
    />
  );
}

/** A number is found as the API takes it: with its country code. Anything else is words. */
function fieldFor(wanted: string): 'counterpart' | 'q' {
  const digits = digitsOf(wanted);
  const isNumber = digits !== null && !digits.startsWith('0');
  return isNumber || COUNTERPART_ID.test(wanted) ? 'counterpart' : 'q';
}
