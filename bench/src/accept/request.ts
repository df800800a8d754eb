/** A text message of typical length. */
export function messageBody(instance: string): string {
  return JSON.stringify({ instance, to: '+44 7700 900123', type: 'text', text: 'hello world '.repeat(10) });
}

/** A server under load, and the data for requests to it. */
export interface Target {
  readonly url: string;
  readonly token: string;
  /** Messages go to these instances in turn. */
  readonly instances: readonly string[];
}
