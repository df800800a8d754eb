import { runSettings } from '../run-server.ts';
import type { CommandHandler } from './command.ts';
import { localSettings } from './local-service.ts';

/** Runs the server until a signal ends it, then exits the process. */
export const serveCommand: CommandHandler = async (call) => runSettings(await localSettings(call));
