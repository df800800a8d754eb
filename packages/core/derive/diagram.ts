/** A transition between two statuses, with its trigger and the event that it emits, if any. */
export interface Step<Status extends string> {
  readonly from: Status;
  readonly to: Status;
  readonly trigger: string;
  readonly event: string | null;
}

/**
 * A state of the machine. `name` distinguishes the states of one status from each other; it is empty if the status has
 * only one state.
 */
export interface Variant<Status extends string, State> {
  readonly status: Status;
  readonly name: string;
  readonly state: State;
}

export interface Machine<Status extends string, State> {
  readonly start: Status;
  readonly variants: readonly Variant<Status, State>[];
  /** The steps that the machine's triggers take from a state. */
  readonly stepsFrom: (state: State) => readonly Step<Status>[];
}

/** A Mermaid diagram of the steps from every state. Steps that keep the status are left out. */
export function diagram<Status extends string, State>(machine: Machine<Status, State>): string {
  const arrows = new Map<string, Arrow<Status>>();
  for (const { status, name, state } of machine.variants) {
    for (const { from, to, trigger, event } of machine.stepsFrom(state)) {
      if (from === to) continue;
      const key = `${from} ${to} ${event}`;
      const { variants } = arrows.get(key) ?? { variants: new Map<string, Set<string>>() };
      arrows.set(key, { from, to, event, variants });
      const names = variants.get(trigger) ?? new Set();
      variants.set(trigger, names);
      // A trigger may lead through several steps, of which only the first begins in this variant.
      if (from === status) names.add(name);
    }
  }
  const lines = Array.from(arrows.values(), ({ from, to, event, variants }) => {
    const triggers = Array.from(variants, ([trigger, names]) => `${trigger}${guard(machine, from, names)}`);
    return `    ${from} --> ${to}: ${triggers.join(', ')}${event === null ? '' : ` / ${event}`}`;
  });
  return ['```mermaid', 'stateDiagram-v2', `    [*] --> ${machine.start}`, ...lines, '```'].join('\n');
}

/** An arrow of the diagram: all transitions from one status to another with the same event. */
interface Arrow<Status extends string> {
  readonly from: Status;
  readonly to: Status;
  readonly event: string | null;
  /** For each trigger, the names of the variants of `from` in which it leads to `to`. */
  readonly variants: Map<string, Set<string>>;
}

/** The variants that a trigger is limited to, in brackets; empty if it applies to all variants of the status. */
function guard<Status extends string, State>(
  { variants }: Machine<Status, State>,
  from: Status,
  taken: ReadonlySet<string>,
): string {
  const all = variants.filter(({ status }) => status === from);
  return taken.size === all.length ? '' : ` [${[...taken].join(' or ')}]`;
}
