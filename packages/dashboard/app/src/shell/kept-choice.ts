/** A user's choice for this tab, which does not identify the user and ends with the tab. */
export function keptChoice<Value extends string>(name: string, values: readonly Value[]): Value | null {
  const kept = keptText(name);
  return values.find((value) => value === kept) ?? null;
}

/** Like `keptChoice`, if the values are not known here. */
export function keptText(name: string): string | null {
  try {
    return sessionStorage.getItem(`trunkline.${name}`);
  } catch {
    return null; // the browser refuses storage
  }
}

export function keepChoice(name: string, value: string): void {
  try {
    sessionStorage.setItem(`trunkline.${name}`, value);
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
}

export function forgetChoice(name: string): void {
  try {
    sessionStorage.removeItem(`trunkline.${name}`);
  } catch {
    // Nothing was stored.
  }
}
