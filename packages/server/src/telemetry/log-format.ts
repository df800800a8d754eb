/** Returns the format of the log: that of LOG_FORMAT or, if it names none, text at a terminal and JSON elsewhere. */
export function logFormatFor(
  given: string | undefined,
  { isTTY }: { readonly isTTY?: boolean | undefined },
): 'json' | 'text' {
  if (given === 'json' || given === 'text') return given;
  return isTTY === true ? 'text' : 'json';
}
