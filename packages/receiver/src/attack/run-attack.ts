import {
  accepted,
  genuineRequest,
  isSuccess,
  type Attack,
  type AttackCase,
  type Verdict,
} from './attack-case.ts';
import { BODY_CASES } from './body-cases.ts';
import { requestOf, signer } from './raw-request.ts';
import { REPEAT_CASES, TIMESTAMP_CASES } from './replay-cases.ts';
import { SIGNATURE_CASES } from './signature-cases.ts';
import { STANDARD_CASES } from './standard-cases.ts';
import { createTarget, type Target } from './target.ts';
import { createTimeLimits, type TimeLimits } from './time-limits.ts';

export interface AttackOptions {
  readonly url: URL;
  readonly secret: string;
  /** The minimum wait for each response; longer if genuine requests are slow. The service itself waits 10 seconds. */
  readonly timeoutMs: number;
  /** The minimum time limit for the whole attack. Cases that have not run by then count as wrong. */
  readonly limitMs: number;
  readonly onVerdict: (name: string, verdict: Verdict) => void;
}

export interface AttackResult {
  readonly right: number;
  readonly wrong: number;
  /**
   * Whether the receiver did not accept the first request, which is genuine. The attack then stops, because further
   * refusals would prove nothing.
   */
  readonly gaveUp: boolean;
}

export async function runAttack(options: AttackOptions): Promise<AttackResult> {
  const limits = createTimeLimits(options);
  const end = new AbortController();
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => clearTimeout(timer);
  const resume = (): void => {
    const remaining = startedAt + limits.total() - performance.now();
    timer = setTimeout(() => end.abort(), Math.max(0, remaining));
  };
  resume();
  try {
    return await runCases(options, { limits, signal: end.signal, pause, resume });
  } finally {
    pause();
  }
}

interface Bounds {
  readonly limits: TimeLimits;
  /** Aborts when the time for the whole attack is up. */
  readonly signal: AbortSignal;
  /** Keeps `signal` from aborting until `resume`, because the time limit may grow. */
  pause(): void;
  resume(): void;
}

async function runCases(options: AttackOptions, bounds: Bounds): Promise<AttackResult> {
  const { limits, signal } = bounds;
  const { url, secret } = options;
  const sign = signer(secret);
  let isLate = false;
  const target = createTarget({
    url,
    signal,
    timeoutMs: limits.response,
    onLate: () => (isLate = true),
  });
  const patient = createTarget({ url, signal, timeoutMs: () => limits.longestResponse });
  const attackOn = (one: Target): Attack => ({
    target: one,
    sign,
    secret,
    now: Math.floor(Date.now() / 1000),
  });

  /** Times genuine requests. Returns whether the limits had to grow. */
  const measure = async (): Promise<boolean> => {
    bounds.pause();
    const hasGrown = limits.adapt(await timeGenuine(() => attackOn(patient)));
    bounds.resume();
    return hasGrown;
  };
  const runInTime = async ({ run }: AttackCase): Promise<Verdict> => {
    for (;;) {
      isLate = false;
      const verdict = await run(attackOn(target));
      // A correct receiver may be late because its machine is busy.
      if (verdict.right || !isLate || signal.aborted || !(await measure())) return verdict;
    }
  };

  let [right, wrong] = [0, 0];
  for (const one of CASES) {
    const verdict = signal.aborted ? { right: false, what: 'not run: time is up' } : await runInTime(one);
    options.onVerdict(one.name, verdict);
    if (verdict.right) right += 1;
    else wrong += 1;
    if (right === 0) return { right, wrong, gaveUp: true };
    if (right + wrong === 1) await measure();
  }
  return { right, wrong, gaveUp: false };
}

const MEASURED = 3;

/** The durations of some genuine requests, in milliseconds; empty if the receiver does not accept them all. */
async function timeGenuine(attack: () => Attack): Promise<readonly number[]> {
  const times: number[] = [];
  // Ignore the first request, which may have waited for earlier ones.
  for (let sent = 0; sent <= MEASURED; sent += 1) {
    const genuine = attack();
    const request = await genuineRequest(genuine);
    const startedAt = performance.now();
    if (!isSuccess(await genuine.target.send(request))) return [];
    if (sent > 0) times.push(performance.now() - startedAt);
  }
  return times;
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
