/** Finds every address of a host name. */
export interface DnsResolver {
  /** Returns IPv4 and IPv6 addresses as text. Rejects, or resolves with an empty list, if the name does not resolve. */
  resolve(hostname: string, signal: AbortSignal): Promise<readonly string[]>;
}
