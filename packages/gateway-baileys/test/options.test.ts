import { describe, expect, it } from 'vitest';
import { baileysGateway } from '../src/index.ts';
import type { BaileysGatewayOptions } from '../src/index.ts';

describe('an option that does not exist', () => {
  it.each<[unknown, string]>([
    [{ devicename: 'Desk' }, 'baileysGateway: there is no option "devicename". Did you mean "deviceName"?'],
    [
      { socket: { connectTimeoutMS: 5 } },
      'baileysGateway: socket: there is no option "connectTimeoutMS". Did you mean "connectTimeoutMs"?',
    ],
  ])('is named, with the one that was meant: %o', (options, why) => {
    // Wrong on purpose, as JavaScript would allow.
    expect(() => baileysGateway(options as BaileysGatewayOptions)).toThrow(why);
  });
});
