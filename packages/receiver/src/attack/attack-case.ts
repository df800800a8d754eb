import { attackEvent, requestOf, type Parts, type RawRequest, type Sign } from './raw-request.ts';
import type { Answer, Target } from './target.ts';

export interface AttackCase {
  readonly name: string;
  run(attack: Attack): Promise<Verdict>;
}

export interface Attack {
  readonly target: Target;
  readonly sign: Sign;
  readonly secret: string;
  /** Unix time in seconds. */
  readonly now: number;
}

export interface Verdict {
  readonly right: boolean;
  /** What the receiver did, and what it should have done. */
  readonly what: string;
}

/** Parts of a request that a receiver must accept, to be spoilt: freshly signed, with an event of its own. */
export interface Genuine extends Attack {
  readonly parts: Parts;
  readonly text: string;
}

type Build = (genuine: Genuine) => RawRequest | Promise<RawRequest>;

export function refused(name: string, build: Build): AttackCase {
  return {
    name,
    run: async (attack) => mustBeRefused(await attack.target.send(await build(await genuine(attack)))),
  };
}

export function accepted(name: string, build: Build): AttackCase {
  return {
    name,
    run: async (attack) => mustBeAccepted(await attack.target.send(await build(await genuine(attack)))),
  };
}

export async function genuine(attack: Attack): Promise<Genuine> {
  const text = JSON.stringify(attackEvent());
  return { ...attack, text, parts: await attack.sign(String(attack.now), text) };
}

export async function genuineRequest(attack: Attack): Promise<RawRequest> {
  return requestOf((await genuine(attack)).parts);
}

export function mustBeRefused(answer: Answer): Verdict {
  if (answer === 'closed') return { right: true, what: 'refused: connection closed' };
  if (answer === 'no answer') return { right: false, what: 'no answer in time' };
  if (isSuccess(answer)) return { right: false, what: `accepted with ${answer}, must be refused` };
  return { right: true, what: `refused with ${answer}${answer >= 500 ? ' (an error of its own?)' : ''}` };
}

export function mustBeAccepted(answer: Answer): Verdict {
  if (isSuccess(answer)) return { right: true, what: `accepted with ${answer}` };
  const how = typeof answer === 'number' ? `refused with ${answer}` : answer;
  return { right: false, what: `${how}, must be accepted` };
}

export function isSuccess(answer: Answer): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 300;
}
