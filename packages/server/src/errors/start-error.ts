/**
 * Thrown if the server cannot start, if possible before anything is written. Each complaint is one line for people. The
 * process then exits with code 1.
 */
export class StartError extends Error {
  readonly complaints: readonly string[];

  constructor(...complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.name = 'StartError';
    this.complaints = complaints;
  }
}

export function complaintsOf(error: unknown): readonly string[] {
  if (error instanceof StartError) return error.complaints;
  return [reasonOf(error)];
}

export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
