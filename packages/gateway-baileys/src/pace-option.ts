import { PACES } from '@trunkline/core/spi/gateway';
import type { Pace, PaceName } from '@trunkline/core/spi/gateway';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';

/**
 * How fast each number sends, unless a pace was chosen for its instance. `gentle` sends 20 messages a minute and, in the
 * first ten days after the number was linked, to 30 new people a day. `off` sends as fast as WhatsApp accepts messages,
 * for which WhatsApp bans numbers.
 */
export type PaceOption = PaceName | PaceOptions;

/** A pace of your own. A field that is left out is as in `gentle`; null is no limit. */
interface PaceOptions {
  /** From 1 to 600. Messages are spaced accordingly, but each interval varies randomly by up to 50%. */
  readonly messagesPerMinute?: number | null | undefined;
  /**
   * From 0 to 10,000: to how many people a number may write on each of the first ten days after it was linked, if the
   * instance has no message with them yet, in either direction.
   */
  readonly newPeoplePerDay?: number | null | undefined;
  /** Whether recipients see that the number is typing for a few seconds before they get a text. Default false. */
  readonly typing?: boolean | undefined;
}

const OPTION_NAMES: OptionNames<PaceOptions> = {
  messagesPerMinute: true,
  newPeoplePerDay: true,
  typing: true,
};
const FASTEST = 600;
const MOST_PEOPLE = 10_000;

/** Throws an error that names the first wrong option. */
export function readPace(option: PaceOption): Pace {
  if (typeof option === 'string') {
    if (Object.hasOwn(PACES, option)) return PACES[option];
    throw new TypeError(
      'baileysGateway: the option "pace" is wrong: it must be "gentle", "off" or an object.',
    );
  }
  checkOptionNames('baileysGateway: pace', option, OPTION_NAMES);
  const { gentle } = PACES;
  const {
    messagesPerMinute = gentle.messagesPerMinute,
    newPeoplePerDay = gentle.newPeoplePerDay,
    typing = gentle.typing,
  } = option;
  check('messagesPerMinute', messagesPerMinute, { min: 1, max: FASTEST });
  check('newPeoplePerDay', newPeoplePerDay, { min: 0, max: MOST_PEOPLE });
  if (typeof typing !== 'boolean')
    throw new TypeError('baileysGateway: the option "pace.typing" is wrong: it must be true or false.');
  return { messagesPerMinute, newPeoplePerDay, typing };
}

function check(
  name: Exclude<keyof PaceOptions, 'typing'>,
  value: number | null,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (value === null || (value >= min && value <= max)) return;
  throw new TypeError(
    `baileysGateway: the option "pace.${name}" is wrong: it must be ${min} to ${max}, or null for no limit.`,
  );
}
