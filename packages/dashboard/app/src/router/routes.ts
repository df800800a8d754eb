import { createRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { chatSearch, chatsSearch } from '../pages/chats/search.ts';
import { messagesSearch } from '../pages/messages/search.ts';
import { numbersSearch, numberSearch } from '../pages/numbers/search.ts';
import { signInSearch } from '../pages/sign-in/search.ts';
import { SessionGate } from '../shell/session-gate.tsx';

// Every page of the dashboard. What a page reads of the URL's search stands in `search.ts` beside it; the page itself is
// a file of its own that is fetched when it is needed.

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const session = createRoute({ getParentRoute: () => root, id: 'session', component: SessionGate });

const home = createRoute({
  getParentRoute: () => session,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/home-page.tsx'), 'HomePage'),
});

const workspace = createRoute({ getParentRoute: () => session, path: 'w/$workspace' });

const now = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/now/now-page.tsx'), 'NowPage'),
});

const numbers = createRoute({
  getParentRoute: () => workspace,
  path: 'numbers',
  validateSearch: numbersSearch,
  component: lazyRouteComponent(() => import('../pages/numbers/numbers-page.tsx'), 'NumbersPage'),
});

const number = createRoute({
  getParentRoute: () => workspace,
  path: 'numbers/$instance',
  validateSearch: numberSearch,
  component: lazyRouteComponent(() => import('../pages/numbers/number-page.tsx'), 'NumberPage'),
});

const messages = createRoute({
  getParentRoute: () => workspace,
  path: 'messages',
  validateSearch: messagesSearch,
  component: lazyRouteComponent(() => import('../pages/messages/messages-page.tsx'), 'MessagesPage'),
});

const message = createRoute({
  getParentRoute: () => workspace,
  path: 'messages/$message',
  component: lazyRouteComponent(() => import('../pages/messages/message-page.tsx'), 'MessagePage'),
});

const chats = createRoute({
  getParentRoute: () => workspace,
  path: 'chats',
  validateSearch: chatsSearch,
  component: lazyRouteComponent(() => import('../pages/chats/chats-page.tsx'), 'ChatsPage'),
});

const chat = createRoute({
  getParentRoute: () => workspace,
  path: 'chats/$counterpart',
  validateSearch: chatSearch,
  component: lazyRouteComponent(() => import('../pages/chats/chat-page.tsx'), 'ChatPage'),
});

export const ROUTES = root.addChildren([
  signIn,
  session.addChildren([home, workspace.addChildren([now, numbers, number, messages, message, chats, chat])]),
]);
