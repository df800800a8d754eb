import type { ReactNode } from 'react';
import styles from './icon.module.css';

const PATHS = {
  back: 'm10 3-5 5 5 5',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  reply: 'M6.5 3.5 2.5 7.5l4 4M3 7.5h6a4 4 0 0 1 4 4v1',
  react: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M5.5 9.3a3 3 0 0 0 5 0M6 6.4h.01M10 6.4h.01',
  edit: 'm3 13 .6-2.9 7-7a1.4 1.4 0 0 1 2 0l.3.3a1.4 1.4 0 0 1 0 2l-7 7zM9.5 4.2l2.3 2.3',
  delete: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5M6.8 7v3.5M9.2 7v3.5',
  details: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.3v3.4M8 5h.01',
  read: 'm1.5 8.5 3 3 5.5-7M7.5 10.5l1 1 6-7',
  attach: 'm13 7.5-5.3 5.3a3 3 0 0 1-4.2-4.2l6-6a2 2 0 0 1 2.8 2.8l-5.8 5.8a1 1 0 0 1-1.4-1.4L10 4.9',
  later: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2m0 2.8V8l2.2 1.6',
  write: 'M8 3v10M3 8h10',
  down: 'M8 3v10M4 9l4 4 4-4',
  close: 'm4 4 8 8m0-8-8 8',
  call: 'M4 2.5h2l1 3-1.4 1a7 7 0 0 0 3.9 3.9l1-1.4 3 1v2a1.3 1.3 0 0 1-1.4 1.3A10 10 0 0 1 2.7 3.9 1.3 1.3 0 0 1 4 2.5',
  video: 'M2 4.5h7.5v7H2zM9.5 7l4-2v6l-4-2',
  person: 'M8 2.8a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M3 13.5a5 5 0 0 1 10 0',
  group:
    'M6 3a2.3 2.3 0 1 0 0 4.6A2.3 2.3 0 0 0 6 3M1.8 13a4.2 4.2 0 0 1 8.4 0M10.6 3.2a2.2 2.2 0 0 1 0 4.2M12.3 9.4a4 4 0 0 1 2 3.6',
  chats: 'M2.5 3.5h11v8h-6l-3 2.5v-2.5h-2zM5 6.5h6M5 8.8h4',
} as const;

type IconName = keyof typeof PATHS;

/** A picture next to a word, or on a button that has a name: readers of the page do not get it. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={styles['icon']}>
      <path d={PATHS[name]} />
    </svg>
  );
}
