import type { ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { useTexts } from '../texts/language.tsx';
import styles from './search-button.module.css';

const IS_MAC = /^(Mac|iP)/.test(navigator.platform);

/** Looks like a field, which opens with the search. */
export function SearchButton({ onOpen }: { onOpen(): void }): ReactNode {
  const t = useTexts('shell');
  return (
    <button type="button" className={styles['search']} aria-haspopup="dialog" onClick={onOpen}>
      <Icon name="search" />
      <span className={styles['word']}>{t.search}</span>
      <kbd aria-hidden="true">{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}
