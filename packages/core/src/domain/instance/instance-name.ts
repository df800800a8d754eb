/** Name limits, in Unicode code points after trimming. */
export const INSTANCE_NAME_MAX = 100;

/** What an instance without a name is called. */
export function defaultInstanceName(id: string): string {
  return `Instance ${id.slice(-4)}`;
}
