import type { UserFacingSocketConfig } from '@whiskeysockets/baileys';

const nothing = () => {};

/** The phones of the fake log nothing. */
export const silent: NonNullable<UserFacingSocketConfig['logger']> = {
  level: 'silent',
  child: () => silent,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
