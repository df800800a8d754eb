export class Fault extends Error {
  readonly remedy: string;
  readonly result: 'warning' | 'fault';

  constructor(says: string, remedy: string, result: 'warning' | 'fault' = 'fault') {
    super(says);
    this.remedy = remedy;
    this.result = result;
  }
}
