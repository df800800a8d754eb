export { baileysGateway } from './baileys-gateway.ts';
export type { BaileysGateway } from './baileys-gateway.ts';
export type { BaileysGatewayOptions } from './options.ts';
