import {
  Activity,
  Building2,
  Check,
  ChevronDown,
  Circle,
  CircleCheck,
  Copy,
  Inbox,
  KeyRound,
  Link,
  LogOut,
  Menu,
  MessageSquare,
  MessagesSquare,
  Pencil,
  Play,
  Plus,
  Power,
  Radio,
  RefreshCw,
  Search,
  Send,
  Server,
  Smartphone,
  Trash2,
  Unlink,
  Users,
  Webhook,
  X,
} from 'lucide';
import type { IconNode } from 'lucide';
import { createElement } from 'react';
import type { ReactNode } from 'react';
import styles from './icon.module.css';

// One table instead of an import for each use, so that the icons are in one file of the build.
const ICONS = {
  add: Plus,
  chat: MessagesSquare,
  check: Check,
  close: X,
  connect: Link,
  copy: Copy,
  done: CircleCheck,
  edit: Pencil,
  empty: Inbox,
  enable: Play,
  event: Radio,
  key: KeyRound,
  logOut: LogOut,
  member: Users,
  menu: Menu,
  message: MessageSquare,
  now: Activity,
  number: Smartphone,
  open: ChevronDown,
  power: Power,
  remove: Trash2,
  retry: RefreshCw,
  search: Search,
  send: Send,
  server: Server,
  undone: Circle,
  unlink: Unlink,
  webhook: Webhook,
  workspace: Building2,
} as const;

export type IconName = keyof typeof ICONS;

/** A picture next to a word, which screen readers skip. It has the colour and the size of the text around it. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return <Drawing of={ICONS[name]} />;
}

/** For pages with icons of their own, which are then loaded with the page. */
export function Drawing({ of }: { readonly of: IconNode }): ReactNode {
  return (
    <svg className={styles['icon']} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes], index) => createElement(tag, { key: index, ...attributes }))}
    </svg>
  );
}
