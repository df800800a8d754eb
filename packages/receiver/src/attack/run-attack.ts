import { genuineRequest, accepted, type AttackCase, type Verdict } from './attack-case.ts';
import { BODY_CASES } from './body-cases.ts';
import { requestOf, signer } from './raw-request.ts';
import { REPEAT_CASES, TIMESTAMP_CASES } from './replay-cases.ts';
import { SIGNATURE_CASES } from './signature-cases.ts';
import { STANDARD_CASES } from './standard-cases.ts';
import { createTarget } from './target.ts';

export interface AttackOptions {
  readonly url: URL;
  readonly secret: string;
  /** How long to wait for each response. The service itself waits 10 seconds. */
  readonly timeoutMs: number;
  /** The time limit for the whole attack; cases not run by then count as wrong. */
  readonly limitMs: number;
  readonly onVerdict: (name: string, verdict: Verdict) => void;
}

export interface AttackResult {
  readonly right: number;
  readonly wrong: number;
  /** The receiver refused a genuine request, so its other refusals would prove nothing: the attack stopped there. */
  readonly gaveUp: boolean;
}

export async function runAttack(options: AttackOptions): Promise<AttackResult> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), options.limitMs);
  try {
    return await runCases(options, limit.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function runCases(options: AttackOptions, signal: AbortSignal): Promise<AttackResult> {
  const target = createTarget({ url: options.url, timeoutMs: options.timeoutMs, signal });
  const sign = signer(options.secret);

  let [right, wrong] = [0, 0];
  for (const { name, run } of CASES) {
    const verdict = signal.aborted
      ? { right: false, what: 'not run: time is up' }
      : await run({ target, sign, secret: options.secret, now: Math.floor(Date.now() / 1000) });
    options.onVerdict(name, verdict);
    if (verdict.right) right += 1;
    else wrong += 1;
    if (right === 0) return { right, wrong, gaveUp: true };
  }
  return { right, wrong, gaveUp: false };
}

const CASES: readonly AttackCase[] = [
  accepted('a request as the service sends it', ({ parts }) => requestOf(parts)),
  ...SIGNATURE_CASES,
  ...STANDARD_CASES,
  ...TIMESTAMP_CASES,
  ...BODY_CASES,
  ...REPEAT_CASES,
  accepted('a request as the service sends it, after all this', genuineRequest),
];
