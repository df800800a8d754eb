/** Finds every address of a host name. */
export interface DnsResolver {
  /** Answers IPv4 and IPv6 addresses as text. Rejects, or answers none, when the name does not resolve. */
  resolve(hostname: string, signal: AbortSignal): Promise<readonly string[]>;
}
