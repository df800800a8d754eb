/** A choice kept in this tab's session storage; null if it is not one of `values`. */
export function keptChoice<Value extends string>(name: string, values: readonly Value[]): Value | null {
  const kept = keptText(name);
  return values.find((value) => value === kept) ?? null;
}

/** Like `keptChoice`, for values that are not known in advance. */
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
    // Without storage, the choice lasts until the page is closed.
  }
}

export function forgetChoice(name: string): void {
  try {
    sessionStorage.removeItem(`trunkline.${name}`);
  } catch {
    // Without storage, nothing was stored.
  }
}
