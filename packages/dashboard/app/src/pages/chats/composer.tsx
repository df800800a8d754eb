import { useQueryClient } from '@tanstack/react-query';
import type { MediaType, MessageResource } from '@trunkline/http/client';
import { useEffect, useId, useRef, useState } from 'react';
import type { Dispatch, KeyboardEvent, ReactNode, SetStateAction } from 'react';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { localTime } from '../../components/local-time.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './composer.module.css';
import { threadQuery } from './queries.ts';
import type { ChatAddress } from './queries.ts';
import { Excerpt } from './thread-message.tsx';
import { withSent } from './thread.ts';
import { useSend } from './use-send.ts';
import type { Outgoing } from './use-send.ts';

interface ComposerProps {
  readonly address: ChatAddress;
  readonly name: string;
  readonly repliedTo: MessageResource | null;
  readonly onReply: Dispatch<SetStateAction<MessageResource | null>>;
}

/** The text and the file stay until the service has accepted the message. */
export function Composer({ address, name, repliedTo, onReply }: ComposerProps): ReactNode {
  const t = useTexts('chats');
  const id = useId();
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  /** A time in the format of `datetime-local`, or empty to send now; null while the field is hidden. */
  const [later, setLater] = useState<string | null>(null);
  const { send, isSending, error, isDoubtful } = useSend(address.workspaceId, (message, sent) => {
    // Text typed during the request belongs to the next message.
    setText((now) => (now === wordsOf(sent) || now.trim() === '' ? '' : now));
    setFile((now) => ('file' in sent && now === sent.file ? null : now));
    setLater(null);
    onReply((now) => (now?.id === sent.reply_to ? null : now));
    queries.setQueryData(threadQuery(address).queryKey, (known) => known && withSent(known, message));
    field.current?.focus();
  });
  useEffect(() => {
    if (repliedTo !== null) field.current?.focus();
  }, [repliedTo]);

  const isEmpty = text.trim() === '' && file === null;
  const submit = (): void => {
    if (isEmpty) return;
    send({ ...outgoing(address, { text, file, repliedTo }), ...timeOf(later) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // During composition, Enter confirms the text of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) submit();
  };
  return (
    <form
      className={styles['composer']}
      aria-label={t.replyTo(name)}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {error !== null && (
        <div className={styles['failure']}>
          <ErrorView error={error} onRetry={isEmpty ? undefined : submit} isRetrying={isSending} />
          <p>{isDoubtful ? t.mayHaveSent : t.notSent}</p>
        </div>
      )}
      {repliedTo !== null && (
        <p className={styles['above']}>
          <span className={styles['quote']}>
            <Excerpt message={repliedTo} />
          </span>
          <Button kind="bare" aria-label={t.noReply} onClick={() => onReply(null)}>
            <span aria-hidden="true">×</span>
          </Button>
        </p>
      )}
      {file !== null && (
        <p className={styles['above']}>
          <bdi className={styles['filename']}>{file.name}</bdi>
          <Button kind="bare" aria-label={t.removeFile(file.name)} onClick={() => setFile(null)}>
            <span aria-hidden="true">×</span>
          </Button>
        </p>
      )}
      {later !== null && (
        <p className={styles['above']}>
          <label htmlFor={`${id}-later`}>{t.sendAt}</label>
          <input
            id={`${id}-later`}
            type="datetime-local"
            min={localTime(new Date().toISOString())}
            value={later}
            onChange={(event) => setLater(event.target.value)}
          />
          <Button kind="bare" aria-label={t.sendNow} onClick={() => setLater(null)}>
            <span aria-hidden="true">×</span>
          </Button>
        </p>
      )}
      <div className={styles['row']}>
        <input
          ref={files}
          type="file"
          className="unseen"
          tabIndex={-1}
          aria-label={t.addFile}
          onChange={(event) => {
            setFile(event.target.files?.[0] ?? null);
            // Allows choosing the same file again.
            event.target.value = '';
            field.current?.focus();
          }}
        />
        <Button aria-label={t.addFile} title={t.addFile} onClick={() => files.current?.click()}>
          <svg viewBox="0 0 16 16" aria-hidden="true" className={styles['clip']}>
            <path d="m13 7.5-5.3 5.3a3 3 0 0 1-4.2-4.2l6-6a2 2 0 0 1 2.8 2.8l-5.8 5.8a1 1 0 0 1-1.4-1.4L10 4.9" />
          </svg>
        </Button>
        <Button aria-label={t.sendLater} title={t.sendLater} onClick={() => setLater((now) => now ?? '')}>
          <svg viewBox="0 0 16 16" aria-hidden="true" className={styles['clip']}>
            <path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2m0 2.8V8l2.2 1.6" />
          </svg>
        </Button>
        <label htmlFor={id} className="unseen">
          {file === null ? t.write : t.fileCaption}
        </label>
        <textarea
          ref={field}
          id={id}
          dir="auto"
          rows={1}
          value={text}
          placeholder={file === null ? t.write : t.fileCaption}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button type="submit" kind="primary" isBusy={isSending} aria-disabled={isEmpty}>
          {isSending ? t.sending : t.send}
        </Button>
      </div>
      <p id={`${id}-hint`} className={styles['hint']}>
        {t.writeHint}
      </p>
    </form>
  );
}

function timeOf(later: string | null): { readonly send_at?: string } {
  const time = new Date(later ?? '');
  return Number.isNaN(time.getTime()) ? {} : { send_at: time.toISOString() };
}

function wordsOf(sent: Outgoing): string | undefined {
  return sent.type === 'text' ? sent.text : sent.caption;
}

function outgoing(
  { instanceId, counterpart }: ChatAddress,
  {
    text,
    file,
    repliedTo,
  }: { readonly text: string; readonly file: File | null; readonly repliedTo: MessageResource | null },
): Outgoing {
  const message = { instance: instanceId, to: counterpart, ...(repliedTo && { reply_to: repliedTo.id }) };
  if (file === null) return { ...message, type: 'text', text };
  const caption = text.trim() === '' ? {} : { caption: text };
  return { ...message, type: mediaTypeOf(file), file, ...caption };
}

/** The file types that the network displays as media; all others are sent as documents. */
const SHOWN: Readonly<Record<string, MediaType>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'video/mp4': 'video',
  'video/3gpp': 'video',
  'audio/aac': 'audio',
  'audio/mp4': 'audio',
  'audio/mpeg': 'audio',
  'audio/amr': 'audio',
  'audio/ogg': 'audio',
};

function mediaTypeOf(file: File): MediaType {
  return SHOWN[file.type] ?? 'document';
}
