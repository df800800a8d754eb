import { attackEvent, requestOf, type Parts, type RawRequest, type Sign } from './raw-request.ts';
import type { Reply, Target } from './target.ts';

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
  /** The receiver's response and, if it is wrong, the required one. */
  readonly what: string;
}

/**
 * A freshly signed request with a new event, in parts that a case may change. The receiver must accept it unchanged.
 */
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

export function mustBeRefused(response: Reply): Verdict {
  if (response === 'closed') return { right: true, what: 'refused: connection closed' };
  if (response === 'no response') return { right: false, what: 'no response in time' };
  if (isSuccess(response)) return { right: false, what: `accepted with ${response}, must be refused` };
  return { right: true, what: `refused with ${response}${response >= 500 ? ' (an error of its own?)' : ''}` };
}

export function mustBeAccepted(response: Reply): Verdict {
  if (isSuccess(response)) return { right: true, what: `accepted with ${response}` };
  const how = typeof response === 'number' ? `refused with ${response}` : response;
  return { right: false, what: `${how}, must be accepted` };
}

export function isSuccess(response: Reply): boolean {
  return typeof response === 'number' && response >= 200 && response < 300;
}
