import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { chatsSearch } from '../pages/chats/search.ts';
import { eventsSearch } from '../pages/events/search.ts';
import { keysSearch } from '../pages/keys/search.ts';
import { messagesSearch, scheduledSearch } from '../pages/messages/search.ts';
import { nowSearch } from '../pages/now/search.ts';
import { numbersSearch, numberSearch } from '../pages/numbers/search.ts';
import { signInSearch } from '../pages/sign-in/search.ts';
import { webhookSearch, webhooksSearch } from '../pages/webhooks/search.ts';
import { workspacesSearch } from '../pages/workspaces/search.ts';
import { SessionGate } from '../shell/session-gate.tsx';
import { page } from './page.ts';
import type { RawSearch } from './search.ts';

// A page's search parameters are in the `search.ts` next to it. Its file is fetched on demand, with the texts of the
// areas listed last.

const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()();

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: signInSearch,
  component: page(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage', ['signIn']),
});

const session = createRoute({
  getParentRoute: () => root,
  id: 'session',
  // Requests the session in parallel with the page's file. SessionGate shows the outcome.
  loader: ({ context: { queries } }) => void queries.prefetchQuery(sessionQuery),
  component: SessionGate,
});

const home = createRoute({
  getParentRoute: () => session,
  path: '/',
  component: page(() => import('../pages/home/home-page.tsx'), 'HomePage', []),
});

/** Short addresses of workspace pages, which redirect to those pages, and addresses without a page. */
const short = createRoute({
  getParentRoute: () => session,
  path: '$',
  validateSearch: (search: RawSearch) => search,
  component: page(() => import('../pages/home/home-page.tsx'), 'HomePage', []),
});

const workspace = createRoute({ getParentRoute: () => session, path: 'w/$workspace' });

const now = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  validateSearch: nowSearch,
  component: page(() => import('../pages/now/now-page.tsx'), 'NowPage', ['now', 'numbers']),
});

const numbers = createRoute({
  getParentRoute: () => workspace,
  path: 'numbers',
  validateSearch: numbersSearch,
  component: page(() => import('../pages/numbers/numbers-page.tsx'), 'NumbersPage', ['numbers']),
});

const number = createRoute({
  getParentRoute: () => workspace,
  path: 'numbers/$instance',
  validateSearch: numberSearch,
  component: page(() => import('../pages/numbers/number-page.tsx'), 'NumberPage', ['numbers']),
});

const group = createRoute({
  getParentRoute: () => workspace,
  path: 'groups/$group',
  component: page(() => import('../pages/groups/group-page.tsx'), 'GroupPage', ['groups']),
});

const messages = createRoute({
  getParentRoute: () => workspace,
  path: 'messages',
  validateSearch: messagesSearch,
  component: page(() => import('../pages/messages/messages-page.tsx'), 'MessagesPage', ['messages']),
});

const scheduled = createRoute({
  getParentRoute: () => workspace,
  path: 'scheduled',
  validateSearch: scheduledSearch,
  component: page(() => import('../pages/messages/scheduled-page.tsx'), 'ScheduledPage', ['messages']),
});

const message = createRoute({
  getParentRoute: () => workspace,
  path: 'messages/$message',
  component: page(() => import('../pages/messages/message-page.tsx'), 'MessagePage', ['messages']),
});

const chats = createRoute({
  getParentRoute: () => workspace,
  path: 'chats',
  validateSearch: chatsSearch,
  component: page(() => import('../pages/chats/chats-page.tsx'), 'ChatsPage', ['chats', 'messages']),
});

const chat = createRoute({
  getParentRoute: () => workspace,
  path: 'chats/$counterpart',
  validateSearch: chatsSearch,
  component: page(() => import('../pages/chats/chat-page.tsx'), 'ChatPage', ['chats', 'messages']),
});

const events = createRoute({
  getParentRoute: () => workspace,
  path: 'events',
  validateSearch: eventsSearch,
  component: page(() => import('../pages/events/events-page.tsx'), 'EventsPage', ['events']),
});

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks',
  validateSearch: webhooksSearch,
  component: page(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage', ['webhooks']),
});

const webhook = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks/$webhook',
  validateSearch: webhookSearch,
  component: page(() => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage', ['webhooks']),
});

const delivery = createRoute({
  getParentRoute: () => workspace,
  path: 'deliveries/$delivery',
  component: page(() => import('../pages/webhooks/delivery-page.tsx'), 'DeliveryPage', ['webhooks']),
});

const keys = createRoute({
  getParentRoute: () => workspace,
  path: 'keys',
  validateSearch: keysSearch,
  component: page(() => import('../pages/keys/keys-page.tsx'), 'KeysPage', ['keys']),
});

const members = createRoute({
  getParentRoute: () => workspace,
  path: 'members',
  component: page(() => import('../pages/members/members-page.tsx'), 'MembersPage', ['members']),
});

const workspaces = createRoute({
  getParentRoute: () => session,
  path: 'workspaces',
  validateSearch: workspacesSearch,
  component: page(() => import('../pages/workspaces/workspaces-page.tsx'), 'WorkspacesPage', ['workspaces']),
});

/** Named like the parameter of the pages below `w`, so that links to those pages lead into this workspace. */
const oneWorkspace = createRoute({
  getParentRoute: () => session,
  path: 'workspaces/$workspace',
  component: page(() => import('../pages/workspaces/workspace-page.tsx'), 'WorkspacePage', ['workspaces']),
});

const system = createRoute({
  getParentRoute: () => session,
  path: 'system',
  component: page(() => import('../pages/system/system-page.tsx'), 'SystemPage', ['system']),
});

export const ROUTES = root.addChildren([
  signIn,
  session.addChildren([
    home,
    short,
    workspace.addChildren([
      now,
      numbers,
      number,
      group,
      messages,
      scheduled,
      message,
      chats,
      chat,
      events,
      webhooks,
      webhook,
      delivery,
      keys,
      members,
    ]),
    workspaces,
    oneWorkspace,
    system,
  ]),
]);
