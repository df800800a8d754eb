// For who checks settings, without the rest of the package.
export { flawInCounterpart } from './counterparts.ts';
