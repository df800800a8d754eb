export { checkMisspelling, checkOptionNames } from './check-option-names.ts';
export type { OptionNames } from './check-option-names.ts';
export { didYouMean } from './did-you-mean.ts';
