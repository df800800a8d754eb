/** A fault that a check found. */
export class Fault extends Error {
  readonly mend: string;
  readonly result: 'warning' | 'fault';

  constructor(says: string, mend: string, result: 'warning' | 'fault' = 'fault') {
    super(says);
    this.mend = mend;
    this.result = result;
  }
}
