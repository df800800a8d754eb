import { describe, expect, it } from 'vitest';
import {
  LARGEST_MEDIA_SIZE,
  MEDIA_SIZE_MAX,
  MEDIA_TYPES,
  asMediaType,
  checkMediaSize,
  checkMimeType,
  registeredMimeType,
} from './media-rules.ts';
import { MESSAGE_TYPES } from './message.ts';

describe('the types of media', () => {
  it('are those of messages but for text', () => {
    expect([...MEDIA_TYPES, 'text'].toSorted()).toEqual([...MESSAGE_TYPES].toSorted());
    expect(MEDIA_TYPES.map(asMediaType)).toEqual(MEDIA_TYPES);
    expect(['text', 'sticker', '', 'Image', null, undefined, 1, {}, 'constructor'].map(asMediaType)).toEqual(
      Array(9).fill(null),
    );
  });

  it.each([
    ['image', ['image/jpeg', 'image/png', 'image/webp']],
    ['audio', ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg']],
    ['video', ['video/mp4', 'video/3gpp']],
  ] as const)('%s accepts only its own file types', (type, mimeTypes) => {
    const all = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'audio/aac', 'audio/mp4', 'audio/mpeg']
      .concat(['audio/amr', 'audio/ogg', 'audio/wav', 'video/mp4', 'video/3gpp', 'video/quicktime'])
      .concat(['application/pdf', 'application/octet-stream', 'text/html', '']);
    const accepted = all.filter((mimeType) => checkMimeType(type, mimeType).ok);
    expect(accepted.toSorted()).toEqual([...mimeTypes].toSorted());
    expect(checkMimeType(type, 'application/pdf')).toMatchObject({ refusal: { code: 'INVALID_MEDIA_TYPE' } });
  });

  it('take any file as a document', () => {
    for (const mimeType of ['image/png', 'application/x-sh', 'application/octet-stream']) {
      expect(checkMimeType('document', mimeType)).toEqual({ ok: true, value: mimeType });
    }
  });
});

describe('the largest file', () => {
  it.each([
    ['image', 5],
    ['audio', 16],
    ['video', 16],
    ['document', 100],
  ] as const)('for type %s has %d MB', (type, mb) => {
    expect(MEDIA_SIZE_MAX[type]).toBe(mb * 1024 * 1024);
    expect(checkMediaSize(type, mb * 1_048_576).ok).toBe(true);
    expect(checkMediaSize(type, mb * 1_048_576 + 1)).toMatchObject({ refusal: { code: 'MEDIA_TOO_LARGE' } });
  });

  it('is a document', () => {
    expect(LARGEST_MEDIA_SIZE).toBe(MEDIA_SIZE_MAX.document);
  });
});

describe('registeredMimeType', () => {
  it.each([
    ['audio/x-m4a', 'audio/mp4'],
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    [' Audio/OPUS ;x=y', 'audio/ogg'],
    ['audio/mp3', 'audio/mpeg'],
    ['video/x-m4v', 'video/mp4'],
    ['IMAGE/PNG', 'image/png'],
    ['application/vnd.ms-excel', 'application/vnd.ms-excel'],
    ['', 'application/octet-stream'],
    ['png', 'application/octet-stream'],
    ['constructor', 'application/octet-stream'],
    ['image/png\r\nSet-Cookie: a=b', 'application/octet-stream'],
    [`image/${'x'.repeat(200)}`, 'application/octet-stream'],
  ])('%j is %j', (given, registered) => {
    expect(registeredMimeType(given)).toBe(registered);
  });
});
