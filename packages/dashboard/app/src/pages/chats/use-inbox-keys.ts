import { useEffect } from 'react';
import type { RefObject } from 'react';
import type { ChatsSearch } from './search.ts';
import { useOpenChat } from './use-open-chat.ts';

/** A field, in which keys write, or something that has keys of its own. */
const TAKES_KEYS =
  'input, textarea, select, audio, video, [contenteditable], [role="dialog"], [role="alertdialog"], [role="menu"]';

/**
 * `j` and `k` go to the next and the previous chat, and so do the arrows on a chat. Enter opens it, because a chat is a
 * link. `r` begins a reply. Escape goes back: from the field to the list, and from the chat where there is no list.
 */
export function useInboxKeys(
  inbox: RefObject<HTMLElement | null>,
  { workspace, search }: { readonly workspace: string; readonly search: ChatsSearch },
): void {
  const open = useOpenChat(workspace);
  const { instance, find } = search;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const area = inbox.current;
      if (!area || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof HTMLElement ? event.target : document.body;
      if (target !== document.body && target.closest('[role="dialog"], [role="alertdialog"]')) return;
      if (event.key === 'Escape') {
        if (!goBack(area, target)) return;
        event.preventDefault();
        return;
      }
      if (target.closest(TAKES_KEYS)) return;
      const step = stepOf(event.key, target);
      if (step !== 0) {
        event.preventDefault();
        focusChat(area, target, step);
      } else if (event.key === 'r') {
        event.preventDefault();
        reply(area, target);
      }
    };

    const goBack = (area: HTMLElement, target: HTMLElement): boolean => {
      if (target.closest('input[type="search"]')) return false;
      const current = chatsIn(area).find((chat) => chat.ariaCurrent === 'page') ?? chatsIn(area)[0];
      if (area.querySelector('[data-chat-open]') === null) return false;
      if (current?.checkVisibility() === true) current.focus();
      else open(null, { instance, find });
      return true;
    };

    // After the shortcuts of all pages, which listen on the document.
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [inbox, open, instance, find]);
}

function stepOf(key: string, target: HTMLElement): -1 | 0 | 1 {
  const isOnChat = target.matches('[data-chat]');
  if (key === 'j' || (key === 'ArrowDown' && isOnChat)) return 1;
  if (key === 'k' || (key === 'ArrowUp' && isOnChat)) return -1;
  return 0;
}

/** Counts from the chat that has the focus, or from the open one. */
function focusChat(area: HTMLElement, target: HTMLElement, step: -1 | 1): void {
  const chats = chatsIn(area);
  const focused = chats.indexOf(target);
  const from = focused === -1 ? chats.findIndex((chat) => chat.ariaCurrent === 'page') : focused;
  const next = chats[Math.max(0, from + step)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** To the message that has the focus, or without a quote. */
function reply(area: HTMLElement, target: HTMLElement): void {
  const button = target.closest('[data-row]')?.querySelector<HTMLElement>('[data-reply]');
  if (button) button.click();
  else area.querySelector<HTMLElement>('[data-composer]')?.focus();
}

function chatsIn(area: HTMLElement): readonly HTMLElement[] {
  return [...area.querySelectorAll<HTMLElement>('[data-chat]')];
}
