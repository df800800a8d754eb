/** Adds a full stop if the sentence lacks one, as sentences from gateways and libraries may. */
export function withFullStop(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
