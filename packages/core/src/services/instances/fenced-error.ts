/** A gateway's write was refused because another process holds the instance now. */
export class FencedError extends Error {
  constructor(instanceId: string) {
    super(`The lease on ${instanceId} is lost: another process holds it and goes on with the instance.`);
    this.name = 'FencedError';
  }
}
