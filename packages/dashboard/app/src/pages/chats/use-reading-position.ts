import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

/** A scroll position within this distance from the end counts as the end. */
const END_PX = 48;

interface ReadingPosition {
  /** The element that scrolls. */
  readonly area: RefObject<HTMLDivElement | null>;
  /** The content of the area; its messages have `data-message`. */
  readonly list: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  /** The id of the message that was the newest when the user was last at the end. */
  readonly seen: string;
  toEnd(): void;
  toMessage(id: string): void;
}

/**
 * Keeps the text that the user reads in place when content arrives or changes its height: the message at the upper
 * edge, or the end of the thread. Browsers do this only in part.
 */
export function useReadingPosition(newest: string): ReadingPosition {
  const area = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** The message at the upper edge, and how far below the edge it begins; null at the end. */
  const anchor = useRef<{ readonly id: string; readonly top: number } | null>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [seen, setSeen] = useState(newest);

  const keep = useCallback(() => {
    const scrolled = area.current;
    if (!scrolled) return;
    if (anchor.current === null) {
      scrolled.scrollTop = scrolled.scrollHeight;
      return;
    }
    const { id, top } = anchor.current;
    const element = list.current?.querySelector(`[data-message="${CSS.escape(id)}"]`);
    if (element) scrolled.scrollTop += topIn(scrolled, element) - top;
  }, []);

  useLayoutEffect(keep);

  useEffect(() => {
    if (isAtEnd) setSeen(newest);
  }, [isAtEnd, newest]);

  useEffect(() => {
    const scrolled = area.current;
    const content = list.current;
    if (!scrolled || !content) return;
    const onScroll = (): void => {
      const isEnd = scrolled.scrollHeight - scrolled.scrollTop - scrolled.clientHeight <= END_PX;
      anchor.current = isEnd ? null : anchorIn(scrolled, content);
      setAtEnd(anchor.current === null);
    };
    // Runs before the next paint, for example when an image loads or a field grows.
    const observer = new ResizeObserver(keep);
    observer.observe(scrolled);
    observer.observe(content);
    scrolled.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      scrolled.removeEventListener('scroll', onScroll);
    };
  }, [keep]);

  return {
    area,
    list,
    isAtEnd,
    seen,
    toEnd() {
      anchor.current = null;
      setAtEnd(true);
      keep();
      area.current?.focus({ preventScroll: true });
    },
    toMessage(id) {
      const element = list.current?.querySelector(`[data-message="${CSS.escape(id)}"]`);
      element?.scrollIntoView({ block: 'center' });
    },
  };
}

function anchorIn(
  area: HTMLElement,
  list: HTMLElement,
): { readonly id: string; readonly top: number } | null {
  for (const element of list.querySelectorAll<HTMLElement>('[data-message]')) {
    const id = element.dataset['message'];
    const top = topIn(area, element);
    if (id !== undefined && top + element.offsetHeight > 0) return { id, top };
  }
  return null;
}

function topIn(area: HTMLElement, element: Element): number {
  return element.getBoundingClientRect().top - area.getBoundingClientRect().top;
}
