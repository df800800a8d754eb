const MEDIA_ID = /^[A-Za-z0-9_]{3,64}$/;

/**
 * The id that a file is kept under, if it is one: media stores make paths and addresses of it. Throws a TypeError
 * where it is not.
 */
export function checkMediaId(id: string): string {
  if (!MEDIA_ID.test(id)) throw new TypeError('A media id has 3 to 64 letters, digits and underscores only.');
  return id;
}
