import type { ReactNode } from 'react';
import { initialsOf } from '../domain/initials.ts';
import styles from './avatar.module.css';
import { classes } from './class-names.ts';

/** The number of colours in `avatar.module.css`. */
const COLOURS = 8;

/**
 * The initials of a name on a colour that belongs to the id, so that a person keeps it under every name. Screen readers
 * skip it: show the name next to it.
 */
export function Avatar({
  id,
  name,
  size = 'small',
}: {
  readonly id: string;
  readonly name: string;
  readonly size?: 'small' | 'large';
}): ReactNode {
  return (
    <span
      aria-hidden="true"
      className={classes(styles['avatar'], styles[size], styles[`colour${colourOf(id)}`])}
    >
      {initialsOf(name)}
    </span>
  );
}

function colourOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % COLOURS;
}
