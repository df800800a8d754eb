/** The status of a Boom error, with which Baileys reports a reason; null for any other error. */
export function statusCodeOf(error: unknown): number | null {
  const output = property(error, 'output');
  const code = property(output, 'statusCode');
  return typeof code === 'number' ? code : null;
}

/** The error code in the network's response to a query; null for any other error. */
export function queryErrorOf(error: unknown): number | null {
  const code = property(error, 'data');
  return typeof code === 'number' ? code : null;
}

/** An attribute of the stanza with which the network refused a connection. */
export function failureAttribute(error: unknown, name: string): unknown {
  return property(property(error, 'data'), name);
}

/** The cause of an error in a few words. The rest of the error may contain secrets. */
export function briefly(error: unknown): string {
  if (typeof error === 'number') return `closed (${error})`;
  return error instanceof Error ? error.message.slice(0, 200) : 'failed';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
