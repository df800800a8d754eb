import { describe, expect, it } from 'vitest';
import { checkMisspelling, checkOptionNames } from '@trunkline/option-names';

interface Options {
  readonly media?: string;
  readonly basePath?: string;
}

const check = (options: unknown): void =>
  checkOptionNames('createThing', options as Options, { media: true, basePath: true }); // as from JavaScript

describe('the names of options', () => {
  it('may be any that exist, whatever their values', () => {
    expect(() => check({})).not.toThrow();
    expect(() => check({ media: undefined, basePath: 5 })).not.toThrow();
  });

  it.each([
    ['medai', 'media'],
    ['basepath', 'basePath'],
    ['base_path', 'basePath'],
  ])('are recognised when misspelt: %s is taken for %s', (name, meant) => {
    expect(() => check({ [name]: undefined })).toThrow(
      new TypeError(`createThing: there is no option "${name}". Did you mean "${meant}"?`),
    );
  });

  it('are listed for a name that resembles none', () => {
    const message = 'createThing: there is no option "foo". Known are: media, basePath.';
    expect(() => check({ foo: 1 })).toThrow(new TypeError(message));
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])(
    'have nothing to do with what every object has: %s',
    (name) => {
      expect(() => check({ [name]: 1 })).toThrow(`there is no option "${name}"`);
    },
  );

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'x'],
    ['a function', () => {}],
    ['an array', []],
  ])('cannot be read from %s', (kind, options) => {
    expect(() => check(options)).toThrow(
      new TypeError(
        `createThing: the options must be an object, and are ${kind}. It may have: media, basePath.`,
      ),
    );
  });

  it('may be mixed with others if a request is spread into the options, unless one is misspelt', () => {
    const spread = (options: object): void =>
      checkMisspelling('verify', options as Options, { media: true, basePath: true }); // as from JavaScript
    expect(() => spread({ method: 'POST', media: 'x' })).not.toThrow();
    expect(() => spread({ method: 'POST', medai: 'x' })).toThrow('Did you mean "media"?');
    expect(() => spread([])).toThrow('the options must be an object');
  });
});
