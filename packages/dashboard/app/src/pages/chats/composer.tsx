import { useQueryClient } from '@tanstack/react-query';
import type { InstanceResource, MediaType, MessageResource } from '@trunkline/http/client';
import { useEffect, useId, useRef, useState } from 'react';
import type { Dispatch, KeyboardEvent, ReactNode, SetStateAction } from 'react';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { localTime } from '../../components/local-time.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './composer.module.css';
import { Icon } from './icon.tsx';
import { OtherKinds } from './other-kinds.tsx';
import type { ChatAddress } from './queries.ts';
import type { Stretch } from './stretch.ts';
import type { LongList } from './stretch-query.ts';
import { Excerpt } from './thread-message.tsx';
import type { Counterpart } from './use-counterpart.ts';
import { useSend } from './use-send.ts';
import type { Outgoing } from './use-send.ts';

interface ComposerProps {
  readonly address: ChatAddress;
  readonly list: LongList<MessageResource>;
  readonly person: Counterpart;
  /** The capabilities of the number. */
  readonly capabilities: InstanceResource['capabilities'];
  readonly repliedTo: MessageResource | null;
  readonly onReply: Dispatch<SetStateAction<MessageResource | null>>;
  readonly file: File | null;
  readonly onFile: Dispatch<SetStateAction<File | null>>;
  /** Something to do instead of sending. */
  readonly aside: ReactNode;
}

/** The text and the file stay until the service has accepted the message. */
export function Composer(props: ComposerProps): ReactNode {
  const { address, list, person, repliedTo, onReply, file, onFile: setFile } = props;
  const t = useTexts('chats');
  const id = useId();
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  /** A time in the format of `datetime-local`, or empty to send now; null while the field is hidden. */
  const [later, setLater] = useState<string | null>(null);
  const { send, isSending, error, isDoubtful } = useSend(address.workspaceId, (message, sent) => {
    // Text typed during the request belongs to the next message.
    setText((now) => (now === wordsOf(sent) || now.trim() === '' ? '' : now));
    setFile((now) => ('file' in sent && now === sent.file ? null : now));
    setLater(null);
    onReply((now) => (now?.id === sent.reply_to ? null : now));
    queries.setQueryData<Stretch<MessageResource>>(
      list.queryKey,
      (known) => known && list.stretches.withCreated(known, message),
    );
    field.current?.focus();
  });
  useEffect(() => {
    if (repliedTo !== null) field.current?.focus();
  }, [repliedTo]);
  useEffect(() => {
    if (file !== null) field.current?.focus();
  }, [file]);

  const isEmpty = text.trim() === '' && file === null;
  const submit = (): void => {
    if (isEmpty) return;
    send({ ...outgoing(address, { text, file, repliedTo }), ...timeOf(later) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && (repliedTo !== null || file !== null)) {
      // The first Escape takes back the quote or the file, the next one leaves the field.
      event.preventDefault();
      if (repliedTo === null) setFile(null);
      else onReply(null);
      return;
    }
    // During composition, Enter confirms the text of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) submit();
  };
  return (
    <form
      className={styles['composer']}
      aria-label={t.replyTo(person.name)}
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
            <Excerpt message={repliedTo} person={person} />
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
        <label htmlFor={id} className="unseen">
          {file === null ? t.write : t.fileCaption}
        </label>
        <textarea
          ref={field}
          id={id}
          data-composer=""
          dir="auto"
          rows={1}
          value={text}
          placeholder={file === null ? t.write : t.fileCaption}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const [pasted] = event.clipboardData.files;
            // A text that is copied from a document may come with a picture of itself.
            if (!pasted || event.clipboardData.types.includes('text/plain')) return;
            event.preventDefault();
            setFile(pasted);
          }}
        />
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
          <Icon name="attach" />
        </Button>
        <Button aria-label={t.sendLater} title={t.sendLater} onClick={() => setLater((now) => now ?? '')}>
          <Icon name="later" />
        </Button>
        <OtherKinds
          address={address}
          list={list}
          capabilities={props.capabilities}
          repliedTo={repliedTo}
          onSent={() => onReply(null)}
        />
        <Button type="submit" kind="primary" isBusy={isSending} aria-disabled={isEmpty}>
          {isSending ? t.sending : t.send}
        </Button>
      </div>
      <div className={styles['below']}>
        <p id={`${id}-hint`} className={styles['hint']}>
          {t.writeHint}
        </p>
        {props.aside}
      </div>
    </form>
  );
}

function timeOf(later: string | null): { readonly send_at?: string } {
  const time = new Date(later ?? '');
  return Number.isNaN(time.getTime()) ? {} : { send_at: time.toISOString() };
}

function wordsOf(sent: Outgoing): string | undefined {
  if ('text' in sent) return sent.text;
  return 'caption' in sent ? sent.caption : undefined;
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
