import {
  ArrowDown,
  ArrowLeft,
  CheckCheck,
  Clock,
  Ellipsis,
  Info,
  Paperclip,
  Pencil,
  Phone,
  Plus,
  Reply,
  SmilePlus,
  Trash2,
  Users,
  Video,
  X,
} from 'lucide';
import type { ReactNode } from 'react';
import { Drawing } from '../../components/icon.tsx';

const ICONS = {
  attach: Paperclip,
  back: ArrowLeft,
  call: Phone,
  close: X,
  delete: Trash2,
  details: Info,
  down: ArrowDown,
  edit: Pencil,
  group: Users,
  later: Clock,
  more: Ellipsis,
  react: SmilePlus,
  read: CheckCheck,
  reply: Reply,
  video: Video,
  write: Plus,
} as const;

/** The icons of chats. */
export function Icon({ name }: { readonly name: keyof typeof ICONS }): ReactNode {
  return <Drawing of={ICONS[name]} />;
}
