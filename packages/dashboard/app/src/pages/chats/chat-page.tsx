import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Inbox } from './inbox.tsx';

const route = getRouteApi('/session/w/$workspace/chats/$counterpart');

export function ChatPage(): ReactNode {
  const { workspace, counterpart } = route.useParams();
  return <Inbox workspace={workspace} counterpart={counterpart} search={route.useSearch()} />;
}
