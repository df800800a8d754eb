import { encode } from 'uqr';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import styles from './qr-picture.module.css';

/**
 * A QR code as one SVG path: dark on white in every theme, with the margin that scanners need (ISO/IEC 18004: 4
 * modules).
 */
export function QrPicture({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { size, path } = useMemo(() => {
    const { data } = encode(text, { border: 4 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: data.length, path: dark.join('') };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['qr']}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
