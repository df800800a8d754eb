import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InstanceResource, WebhookResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { keysQuery } from '../../api/admin.ts';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { useMay, useSession } from '../../shell/session-context.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './first-steps.module.css';
import { firstMessageQuery } from './queries.ts';

interface FirstStepsProps {
  readonly workspace: string;
  readonly numbers: readonly InstanceResource[];
  readonly webhooks: readonly WebhookResource[];
}

/** A workspace with more numbers is not new. */
const NUMBERS_OF_NEW = 1;

/** The steps to take in a new workspace, until it has sent its first message. Each step is done if its result exists. */
export function FirstSteps({ workspace, numbers, webhooks }: FirstStepsProps): ReactNode {
  const t = useTexts('now');
  const isNew = numbers.length <= NUMBERS_OF_NEW;
  const mayReadMessages = useMay('messages:read');
  const isAdmin = useSession().workspace === null;
  const { data: hasSent } = useQuery({ ...firstMessageQuery(workspace), enabled: isNew && mayReadMessages });
  const { data: keys } = useQuery({
    ...keysQuery(workspace),
    enabled: isNew && isAdmin && hasSent === false,
  });
  if (!isNew || hasSent !== false) return null;
  const params = { workspace };
  return (
    <Panel title={t.firstSteps}>
      <ol className={styles['steps']}>
        <Step isDone={numbers.some(({ paired }) => paired)} text={t.stepNumber}>
          <Link to="/w/$workspace/numbers" params={params}>
            {t.toNumbers}
          </Link>
        </Step>
        <Step isDone={false} text={t.stepMessage}>
          <Link to="/w/$workspace/chats" params={params}>
            {t.toChats}
          </Link>
        </Step>
        <Step isDone={webhooks.length > 0} text={t.stepWebhook}>
          <Link to="/w/$workspace/webhooks" params={params}>
            {t.toWebhooks}
          </Link>
        </Step>
        {isAdmin && (
          <Step isDone={keys?.some(({ revoked_at }) => revoked_at === null) ?? false} text={t.stepKey}>
            <Link to="/w/$workspace/keys" params={params}>
              {t.toKeys}
            </Link>
          </Step>
        )}
      </ol>
    </Panel>
  );
}

function Step({
  isDone,
  text,
  children,
}: {
  readonly isDone: boolean;
  readonly text: string;
  readonly children: ReactNode;
}): ReactNode {
  const t = useTexts('now');
  return (
    <li className={styles['step']}>
      <span className={styles[isDone ? 'done' : 'undone']}>
        <Icon name={isDone ? 'done' : 'undone'} />
      </span>
      <span>
        {text}
        <span className="unseen"> ({isDone ? t.stepDone : t.stepUndone})</span>
      </span>
      {!isDone && children}
    </li>
  );
}
