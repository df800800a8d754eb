import type { ReactNode } from 'react';
import type { SystemResource } from '../../../../src/schemas/admin.ts';
import { Headline } from '../../components/headline.tsx';
import { useTexts } from '../../texts/language.tsx';

const NEEDED = ['gateway', 'webhooks', 'maintenance'] as const;

/**
 * Names the roles without a process, and counts silent processes and instances without a process. The role `api` is not
 * checked, because the API responded.
 */
export function SystemHeadline({
  system: { processes, workload },
}: {
  readonly system: SystemResource;
}): ReactNode {
  const t = useTexts('system');
  const running = processes.filter(({ is_silent }) => !is_silent);
  const silent = processes.length - running.length;
  const undone = NEEDED.filter((role) => !running.some(({ roles }) => roles.includes(role)));
  const sentences = [
    ...undone.map((role) => t.nobody[role]),
    ...(silent > 0 ? [t.silentProcesses(silent)] : []),
    ...(workload.unheld_instances > 0 ? [t.unheld(workload.unheld_instances)] : []),
  ];
  const tone = undone.length > 0 ? 'bad' : sentences.length > 0 ? 'act' : 'good';
  return (
    <Headline
      tone={tone}
      detail={sentences.length === 0 ? t.allWellDetail(running.length) : silent > 0 && t.silentHint}
    >
      {sentences.length > 0 ? sentences.join(' ') : t.allWell}
    </Headline>
  );
}
