import type { ReactNode } from 'react';
import { classes } from '../../components/class-names.ts';
import styles from './avatar.module.css';
import { Icon } from './icon.tsx';

/** The initials of a person or a group; a picture if only a number or an id is known. The name stands next to it. */
export function Avatar({
  name,
  isGroup = false,
  isSmall = false,
}: {
  readonly name: string;
  readonly isGroup?: boolean;
  readonly isSmall?: boolean;
}): ReactNode {
  const initials = initialsOf(name);
  return (
    <span aria-hidden="true" className={classes(styles['avatar'], isSmall && styles['small'])}>
      {initials === '' || name.startsWith('con_') ? <Icon name={isGroup ? 'group' : 'person'} /> : initials}
    </span>
  );
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => /\p{L}/u.exec(word)?.[0] ?? []);
  const [first = ''] = letters;
  const last = letters.length > 1 ? (letters.at(-1) ?? '') : '';
  return `${first}${last}`.toLocaleUpperCase();
}
