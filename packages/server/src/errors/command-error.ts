export const EXIT: Readonly<
  Record<'done' | 'failed' | 'usage' | 'refused' | 'unreachable' | 'noAccess', number>
> = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  noAccess: 5,
};

/** Thrown if a command cannot do what was asked. Each complaint is one line for people. */
export class CommandError extends Error {
  readonly exitCode: number;
  /** For programs: an error code of the API, or one of the command line itself, such as `USAGE`. */
  readonly code: string;
  readonly complaints: readonly string[];
  /** The request id of the API's response, to quote in a problem report; null if there is none. */
  readonly requestId: string | null;

  constructor(
    complaint: string | readonly string[],
    {
      exitCode = EXIT.failed,
      code = 'FAILED',
      requestId = null,
    }: { readonly exitCode?: number; readonly code?: string; readonly requestId?: string | null } = {},
  ) {
    const complaints = typeof complaint === 'string' ? [complaint] : complaint;
    super(complaints.join('\n'));
    this.name = 'CommandError';
    this.complaints = complaints;
    this.exitCode = exitCode;
    this.code = code;
    this.requestId = requestId;
  }
}

export function usageError(complaint: string): CommandError {
  return new CommandError(complaint, { exitCode: EXIT.usage, code: 'USAGE' });
}
