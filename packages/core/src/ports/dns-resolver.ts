/** Finds every address of a host name. */
export interface DnsResolver {
  /** Returns IPv4 and IPv6 addresses as text. Rejects, or resolves with none, when the name does not resolve. */
  resolve(hostname: string, signal: AbortSignal): Promise<readonly string[]>;
}
