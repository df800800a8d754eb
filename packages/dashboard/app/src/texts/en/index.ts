import { chats } from './chats.ts';
import { common } from './common.ts';
import { messages } from './messages.ts';
import { now } from './now.ts';
import { numbers } from './numbers.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';

/** One entry for each area, one file for each entry. */
export const EN = { chats, common, messages, now, numbers, shell, signIn };
