import { createPublicKey, verify } from 'node:crypto';

const P = 2n ** 255n - 19n;

/**
 * Checks an XEdDSA signature over Curve25519, as specified in https://signal.org/docs/specifications/xeddsa. Uses
 * Node's Ed25519, because the client's `Curve.verify` returns true for every well-formed signature.
 */
export function isSignatureValid(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  const montgomery = publicKey.length === 33 ? publicKey.subarray(1) : publicKey;
  const edwards = toEdwards(montgomery);
  const plain = Buffer.from(signature);
  // The sign bit of the Edwards point travels in the signature's last byte.
  const last = plain[63] ?? 0;
  edwards[31] = (edwards[31] ?? 0) | (last & 0x80);
  plain[63] = last & 0x7f;
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: edwards.toString('base64url') },
    format: 'jwk',
  });
  return verify(null, message, key, plain);
}

/** y = (u - 1) / (u + 1) */
function toEdwards(montgomery: Uint8Array): Buffer {
  const u = BigInt(`0x${Buffer.from(montgomery).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  const y = (mod(u - 1n) * power(mod(u + 1n), P - 2n)) % P;
  return Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse();
}

function mod(value: bigint): bigint {
  return ((value % P) + P) % P;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let factor = base, left = exponent; left > 0n; left >>= 1n, factor = (factor * factor) % P) {
    if ((left & 1n) === 1n) result = (result * factor) % P;
  }
  return result;
}
