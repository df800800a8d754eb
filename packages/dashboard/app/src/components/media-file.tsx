import type { MessageResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { BASE_PATH } from '../base-path.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import styles from './media-file.module.css';
import { sizeText } from './size-text.ts';

/**
 * The file of a message. Files come from strangers, so images are shown only in an `<img>`, audio and video play on
 * demand, and all other files can only be downloaded.
 */
export function MediaFile({
  workspaceId,
  message,
}: {
  readonly workspaceId: string;
  readonly message: Pick<MessageResource, 'id' | 'type' | 'media'>;
}): ReactNode {
  const t = useTexts('messages');
  const { locale } = useLanguage();
  const { id, type, media } = message;
  if (media === null) return null;
  const { filename, mime_type, size, available } = media;
  const facts = [mime_type, size !== null && sizeText(locale, size)].filter(Boolean).join(' · ');
  const url = `${BASE_PATH}/api/workspaces/${encodeURIComponent(workspaceId)}/messages/${encodeURIComponent(id)}/media`;
  return (
    <figure className={styles['file']}>
      {available && type === 'image' && (
        <img src={url} alt={t.fileAlt(filename)} loading="lazy" className={styles['picture']} />
      )}
      {available && type === 'audio' && (
        <audio controls preload="none" src={url} aria-label={filename} className={styles['player']} />
      )}
      {available && type === 'video' && (
        <video controls preload="none" src={url} aria-label={filename} className={styles['player']} />
      )}
      <figcaption className={styles['facts']}>
        {available ? (
          <a href={url} download={filename}>
            {t.download} {filename}
          </a>
        ) : (
          <>
            {filename}. {t.fileLater}
          </>
        )}
        <span>{facts}</span>
      </figcaption>
    </figure>
  );
}
