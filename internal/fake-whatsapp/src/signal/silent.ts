import type { UserFacingSocketConfig } from '@whiskeysockets/baileys';

const nothing = () => {};

export const silent: NonNullable<UserFacingSocketConfig['logger']> = {
  level: 'silent',
  child: () => silent,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
