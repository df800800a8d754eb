import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { useCopy } from '../../components/copy.ts';
import { ErrorView } from '../../components/error-view.tsx';
import { Panel } from '../../components/panel.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import styles from './group-page.module.css';

/** The link of a group, which is read only on request, because anyone who sees it can join. */
export function GroupLink({
  workspaceId,
  groupId,
}: {
  readonly workspaceId: string;
  readonly groupId: string;
}): ReactNode {
  const t = useTexts('groups');
  const copy = useCopy();
  const { say } = useToasts();
  const { groups } = clientOf(workspaceId);
  const [link, setLink] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const show = useMutation({
    mutationFn: async () => unwrap(await groups.invite(groupId)).data.link,
    onSuccess: setLink,
  });
  return (
    <Panel title={t.link}>
      <p className={styles['quiet']}>{t.linkHint}</p>
      {link !== null && <p className={styles['link']}>{link}</p>}
      <div className={styles['buttons']}>
        {link === null ? (
          <Button isBusy={show.isPending} onClick={() => show.mutate()}>
            {t.showLink}
          </Button>
        ) : (
          <Button onClick={() => void copy(link)}>{t.copyLink}</Button>
        )}
        <Button onClick={() => setAsked(true)}>{t.replaceLink}</Button>
      </div>
      {show.error !== null && <ErrorView error={show.error} />}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t.replaceLinkTitle}
        verb={t.replaceLink}
        act={async () => setLink(unwrap(await groups.revokeInvite(groupId)).data.link)}
        onDone={() => say(t.linkReplaced)}
      >
        {t.replaceLinkText}
      </Confirm>
    </Panel>
  );
}
