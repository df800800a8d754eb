/** What somebody has chosen for this tab: nothing about who they are, and gone when the tab is closed. */
export function keptChoice<Value extends string>(name: string, values: readonly Value[]): Value | null {
  try {
    const kept = sessionStorage.getItem(`trunkline.${name}`);
    return values.find((value) => value === kept) ?? null;
  } catch {
    return null; // a browser that keeps nothing
  }
}

export function keepChoice(name: string, value: string): void {
  try {
    sessionStorage.setItem(`trunkline.${name}`, value);
  } catch {
    // It holds until the page is left.
  }
}
