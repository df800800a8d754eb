/** The same sentence, ended by a full stop: sentences of gateways and of libraries may come without one. */
export function withFullStop(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
