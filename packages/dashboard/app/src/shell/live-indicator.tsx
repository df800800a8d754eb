import type { ReactNode } from 'react';
import { StatusBadge } from '../components/status-badge.tsx';
import type { Tone } from '../components/status-badge.tsx';
import type { LiveState } from '../live/hint-stream.ts';
import { useLiveState } from '../live/live.tsx';
import { useTexts } from '../texts/language.tsx';
import styles from './live-indicator.module.css';

const TONES: Readonly<Record<LiveState, Tone>> = {
  connecting: 'busy',
  live: 'good',
  polling: 'busy',
  offline: 'bad',
  paused: 'idle',
};

export function LiveIndicator(): ReactNode {
  const t = useTexts('shell');
  const state = useLiveState();
  return (
    <span className={styles['live']} title={t.liveMeaning[state]}>
      <StatusBadge tone={TONES[state]}>{t.live[state]}</StatusBadge>
    </span>
  );
}
