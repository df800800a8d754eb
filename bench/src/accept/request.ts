/** The body of a request: a text message of a usual size, each under a key of its own. */
export function messageBody(instance: string): string {
  return JSON.stringify({ instance, to: '+44 7700 900123', type: 'text', text: 'hello world '.repeat(10) });
}

/** The server that the load goes to, and the data for its requests. */
export interface Target {
  readonly url: string;
  readonly token: string;
  /** Messages go to one after the other. */
  readonly instances: readonly string[];
}
