import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Inbox } from './inbox.tsx';

const route = getRouteApi('/session/w/$workspace/chats');

export function ChatsPage(): ReactNode {
  const { workspace } = route.useParams();
  return <Inbox workspace={workspace} counterpart={null} search={route.useSearch()} />;
}
