import type { ReactNode } from 'react';
import { useTexts } from '../../texts/language.tsx';
import type { Call } from './activity.ts';
import styles from './call-line.module.css';
import { Icon } from './icon.tsx';
import { contactName } from './names.ts';
import { ShortTime } from './short-time.tsx';
import type { Counterpart } from './use-counterpart.ts';

export function CallLine({
  call,
  person: { name: nameOfChat, isGroup },
}: {
  readonly call: Call;
  readonly person: Counterpart;
}): ReactNode {
  const t = useTexts('chats');
  const name = (isGroup ? contactName(call.contact) : null) ?? nameOfChat;
  return (
    <p className={styles['call']}>
      <Icon name={call.isVideo ? 'video' : 'call'} />
      <bdi>{call.isVideo ? t.videoCall(name) : t.call(name)}</bdi>
      <span className={styles['when']}>
        <ShortTime at={call.at} />
      </span>
    </p>
  );
}
