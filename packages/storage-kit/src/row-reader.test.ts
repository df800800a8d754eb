import { describe, expect, it } from 'vitest';
import { PLAIN_CODECS } from './codec.ts';
import { rowReader } from './row-reader.ts';

const read = rowReader(PLAIN_CODECS);
const row = {
  key: 'msg_1',
  number: 7,
  yes: 1,
  list: '["a"]',
  blob: new Uint8Array([1, 2]),
  nothing: null,
};

describe('a column', () => {
  it('is read as its type', () => {
    expect(read.id(row, 'key', 'msg')).toBe('msg_1');
    expect(read.text(row, 'key')).toBe('msg_1');
    expect(read.word<'msg_1' | 'msg_2'>(row, 'key')).toBe('msg_1');
    expect(read.integer(row, 'number')).toBe(7);
    expect(read.flag(row, 'yes')).toBe(true);
    expect(read.json(row, 'list')).toEqual(['a']);
    expect(read.bytes(row, 'blob')).toEqual(new Uint8Array([1, 2]));
  });

  it('may hold null if the reader allows it', () => {
    expect(read.idOrNull(row, 'nothing', 'msg')).toBeNull();
    expect(read.textOrNull(row, 'nothing')).toBeNull();
    expect(read.wordOrNull(row, 'nothing')).toBeNull();
    expect(read.integerOrNull(row, 'nothing')).toBeNull();
    expect(read.jsonOrNull(row, 'nothing')).toBeNull();
    expect(read.integerOrNull(row, 'number')).toBe(7);
  });

  it.each([
    ['nothing', () => read.text(row, 'nothing'), 'object'],
    ['number', () => read.text(row, 'number'), 'number'],
    ['number', () => read.textOrNull(row, 'number'), 'number'],
    ['key', () => read.integer(row, 'key'), 'string'],
    ['number', () => read.flag(row, 'number'), 'number'],
    ['key', () => read.bytes(row, 'key'), 'string'],
    ['missing', () => read.textOrNull(row, 'missing'), 'undefined'],
  ])('is named in the error if it holds something else: %s', (column, reading, type) => {
    expect(reading).toThrow(
      new TypeError(
        `The column ${column} has a value of type ${type}, which cannot be read: check the database for damage.`,
      ),
    );
  });
});
