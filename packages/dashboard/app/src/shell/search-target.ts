import type { MessageResource } from '@trunkline/http/client';
import type { IconName } from '../components/icon.tsx';
import { digitsOf } from '../domain/digits-of.ts';
import { counterpartId, counterpartName } from '../domain/message-status.ts';

export type TargetGroup = 'open' | 'pages' | 'numbers' | 'webhooks' | 'people' | 'messages';

/** A place that the search leads to. */
export interface SearchTarget {
  readonly key: string;
  readonly group: TargetGroup;
  readonly icon: IconName;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}

/** The page of each kind of id, and the name of its parameter. */
const PAGES_OF_IDS = {
  msg: { icon: 'message', to: '/w/$workspace/messages/$message', parameter: 'message' },
  ins: { icon: 'number', to: '/w/$workspace/numbers/$instance', parameter: 'instance' },
  wh: { icon: 'webhook', to: '/w/$workspace/webhooks/$webhook', parameter: 'webhook' },
  whd: { icon: 'webhook', to: '/w/$workspace/deliveries/$delivery', parameter: 'delivery' },
  con: { icon: 'chat', to: '/w/$workspace/chats/$counterpart', parameter: 'counterpart' },
  grp: { icon: 'member', to: '/w/$workspace/groups/$group', parameter: 'group' },
} as const satisfies Record<string, { icon: IconName; to: string; parameter: string }>;

const ID = /^(msg|ins|wh|whd|con|grp)_[0-7][0-9a-z]{25}$/;

/** The page of the thing whose id is `text`; null if it is not such an id. */
export function targetOfId(workspace: string, text: string): SearchTarget | null {
  const prefix = ID.exec(text)?.[1];
  if (prefix === undefined) return null;
  const { icon, to, parameter } = PAGES_OF_IDS[prefix as keyof typeof PAGES_OF_IDS]; // as ID has it
  return { key: text, group: 'open', icon, label: text, to, params: { workspace, [parameter]: text } };
}

/** The messages with a number, or with words, on the page of messages. */
export function targetOfMessages(workspace: string, text: string, label: string): SearchTarget {
  const digits = digitsOf(text);
  const isNumber = digits !== null && !digits.startsWith('0');
  return {
    key: 'all-messages',
    group: 'open',
    icon: 'search',
    label,
    to: '/w/$workspace/messages',
    params: { workspace },
    search: isNumber ? { counterpart: `+${digits}` } : { q: text },
  };
}

/** The people among the counterparts of messages whose name or number has the text, each once. */
export function peopleIn(
  workspace: string,
  messages: readonly MessageResource[],
  text: string,
): readonly SearchTarget[] {
  const people = new Map<string, SearchTarget>();
  for (const message of messages) {
    const counterpart = message.group_id === null ? counterpartId(message) : null;
    const label = counterpartName(message);
    if (counterpart === null || label === null || !hasWords(label, text)) continue;
    const key = `person ${counterpart} ${message.instance_id}`;
    if (people.has(key)) continue;
    people.set(key, {
      key,
      group: 'people',
      icon: 'chat',
      label,
      to: '/w/$workspace/chats/$counterpart',
      params: { workspace, counterpart },
      search: { instance: message.instance_id },
    });
  }
  return [...people.values()];
}

/** Whether each word of `wanted` begins a word of `text`, in any case and without accents. */
export function hasWords(text: string, wanted: string): boolean {
  const words = folded(text).split(/[^\p{L}\p{N}]+/u);
  const all = folded(wanted)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return all.length > 0 && all.every((word) => words.some((each) => each.startsWith(word)));
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
}
