import type { Logger } from '@trunkline/core';

const silence = (): void => {};

export const silentLogger: Logger = { debug: silence, info: silence, warn: silence, error: silence };
