/** A wrong secret would only show as signatures that never match: the usual mistakes are named instead. */
export function checkSecret(secret: unknown): void {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError('The webhook secret is empty or not a string.');
  if (secret.trim() !== secret) {
    throw new TypeError('The webhook secret has white space around it, perhaps a line break from a file.');
  }
}
