/** The endpoint's secret, or several secrets while one is being replaced. */
export type WebhookSecret = string | readonly (string | undefined)[] | undefined;

/** The secret itself, or a function that returns it and is called for each request, so that a new secret takes effect. */
export type SecretOption = WebhookSecret | (() => WebhookSecret | Promise<WebhookSecret>);

/** Throws on common mistakes, whose only other symptom would be signatures that never match. */
export function checkSecret(secret: unknown): void {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError(
      'The webhook secret is empty or not a string: give the whsec_… that was shown when the endpoint was created.',
    );
  if (secret.trim() !== secret) {
    throw new TypeError(
      'The webhook secret has white space around it, perhaps a line break from a file: remove it.',
    );
  }
}

/** Returns all secrets that may match. Throws a TypeError if there are none, or if any is malformed. */
export function checkSecrets(secret: WebhookSecret): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0)
    throw new TypeError(
      'There is no webhook secret: give the whsec_… that was shown when the endpoint was created.',
    );
  for (const each of secrets) checkSecret(each);
  return secrets as readonly string[]; // each secret was checked
}

/**
 * Returns a function that reads the receiver's secrets. A missing or empty secret is reported only when a request needs
 * it, because programs are often loaded without an environment, as by `next build`. A malformed secret throws
 * immediately.
 */
export function secretReader(secret: SecretOption): () => Promise<readonly string[]> {
  if (typeof secret === 'function') return async () => checkSecrets(await secret());
  const given: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  for (const each of given) {
    if (each !== undefined && each !== '') checkSecret(each);
  }
  return async () => checkSecrets(secret);
}
