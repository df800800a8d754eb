/** The only source of randomness; cryptographically strong outside tests. */
export interface Random {
  bytes(length: number): Uint8Array;
}
