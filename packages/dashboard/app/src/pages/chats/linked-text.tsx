import type { ReactNode } from 'react';
import { linksIn } from './links-in.ts';

/** A stranger's text, in which web addresses are links. Nothing in it is read as markup. */
export function LinkedText({ text }: { readonly text: string }): ReactNode {
  return linksIn(text).map(({ text: part, href }, index) =>
    href === null ? (
      part
    ) : (
      // The title has the real address, in which letters of other scripts cannot pass for Latin ones.
      <a key={index} href={href} title={href} target="_blank" rel="noopener noreferrer">
        {part}
      </a>
    ),
  );
}
