import { genuine, isSuccess, mustBeAccepted, type AttackCase } from './attack-case.ts';
import { requestOf } from './raw-request.ts';

/** Whether a repeat was handled twice shows in the receiver's own log only; here it shows how repeats are answered. */
export const REPEAT_CASES: readonly AttackCase[] = [
  {
    name: 'an event that comes again, signed anew: answered like the first, else the sender never stops',
    run: async (attack) => {
      const { parts, text } = await genuine(attack);
      const first = mustBeAccepted(await attack.target.send(requestOf(parts)));
      if (!first.right) return first;
      return mustBeAccepted(
        await attack.target.send(requestOf(await attack.sign(`${attack.now + 1}`, text))),
      );
    },
  },
  {
    name: 'an event that comes four times at once: one is accepted, and a later one too',
    run: async (attack) => {
      const request = requestOf((await genuine(attack)).parts);
      const answers = await Promise.all(Array.from({ length: 4 }, () => attack.target.send(request)));
      if (!answers.some(isSuccess)) return { right: false, what: `answered with ${answers.join(', ')}` };
      return mustBeAccepted(await attack.target.send(request));
    },
  },
];
