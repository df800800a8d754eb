export { InjectTrunkline, TRUNKLINE, TrunklineModule } from './trunkline-module.ts';
export type { TrunklineModuleAsyncOptions, TrunklineModuleOptions } from './trunkline-module.ts';
