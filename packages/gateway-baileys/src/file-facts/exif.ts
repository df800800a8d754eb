import { viewOf } from './feed.ts';

const SIGNATURE = [0x45, 0x78, 0x69, 0x66, 0, 0]; // Exif
const LITTLE_ENDIAN = 0x4949; // II
const ORIENTATION = 0x0112;
const ENTRY = 12;

/** How a camera was held, from 1 to 8 (Exif, tag `Orientation`); null if the segment does not say. */
export function orientationIn(segment: Uint8Array): number | null {
  if (!SIGNATURE.every((byte, index) => segment[index] === byte)) return null;
  const view = viewOf(segment.subarray(SIGNATURE.length));
  if (view.byteLength < 8) return null;
  const isLittle = view.getUint16(0) === LITTLE_ENDIAN;
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > view.byteLength) return null;
  const entries = view.getUint16(directory, isLittle);
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * ENTRY;
    if (at + ENTRY > view.byteLength) return null;
    if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
    const orientation = view.getUint16(at + 8, isLittle);
    return orientation >= 1 && orientation <= 8 ? orientation : null;
  }
  return null;
}
