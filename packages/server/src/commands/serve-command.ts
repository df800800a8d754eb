import { runSettings } from '../run-server.ts';
import type { CommandHandler } from './command.ts';
import { localSettings } from './local-service.ts';

export const serveCommand: CommandHandler = async (call) => runSettings(await localSettings(call));
