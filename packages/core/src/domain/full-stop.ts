/** The same sentence with a full stop: sentences of gateways and of libraries may lack one. */
export function withFullStop(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
