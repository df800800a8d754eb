export type ArrayElement = string | number | boolean | Uint8Array | null;

interface Encoding {
  /** The OID of the type, which pg_type.dat fixes for every PostgreSQL. */
  readonly oid: number;
  sizeOf(element: NonNullable<ArrayElement>): number;
  write(array: Buffer, element: NonNullable<ArrayElement>, at: number): void;
}

export type ElementType = 'boolean' | 'bytea' | 'bigint' | 'integer' | 'text' | 'tid' | 'uuid';

const TYPES: Readonly<Record<ElementType, Encoding>> = {
  boolean: {
    oid: 16,
    sizeOf: () => 1,
    write: (array, element, at) => array.writeInt8(element === true ? 1 : 0, at),
  },
  bytea: {
    oid: 17,
    sizeOf: (element) => bytesOf(element).length,
    write: (array, element, at) => array.set(bytesOf(element), at),
  },
  bigint: {
    oid: 20,
    sizeOf: () => 8,
    write: (array, element, at) => array.writeBigInt64BE(BigInt(integerOf(element)), at),
  },
  integer: {
    oid: 23,
    sizeOf: () => 4,
    write: (array, element, at) => array.writeInt32BE(integerOf(element), at),
  },
  text: {
    oid: 25,
    sizeOf: (element) => Buffer.byteLength(String(element)),
    write: (array, element, at) => array.write(String(element), at),
  },
  tid: {
    oid: 27,
    sizeOf: () => 6,
    write(array, element, at) {
      const [, block, row] = /^\((\d+),(\d+)\)$/.exec(String(element)) ?? [];
      array.writeUInt32BE(integerOf(Number(block)), at);
      array.writeUInt16BE(integerOf(Number(row)), at + 4);
    },
  },
  uuid: {
    oid: 2950,
    sizeOf: () => 16,
    write(array, element, at) {
      const digits = String(element).replaceAll('-', '');
      if (digits.length !== 32 || array.write(digits, at, 'hex') !== 16)
        throw new TypeError(`An element of an array is not a uuid: ${JSON.stringify(element)}.`);
    },
  },
};

export function isElementType(name: string): name is ElementType {
  return Object.hasOwn(TYPES, name);
}

/**
 * Encodes an array of one dimension in PostgreSQL's binary format (`array_recv`). In the text format, the setting
 * `array_nulls` would decide whether NULL means a null.
 */
export function binaryArray(type: ElementType, elements: readonly ArrayElement[]): Buffer {
  const { oid, sizeOf, write }: Encoding = TYPES[type];
  const sizes = elements.map((element) => (element === null ? 0 : sizeOf(element)));
  const header =
    elements.length === 0 ? [0, 0, oid] : [1, elements.includes(null) ? 1 : 0, oid, elements.length, 1];
  const array = Buffer.allocUnsafe(
    sizes.reduce((sum, size) => sum + size, 4 * (header.length + sizes.length)),
  );
  let at = 0;
  const writeInteger = (value: number): void => void (at = array.writeInt32BE(value, at));
  header.forEach(writeInteger);
  for (const [index, element] of elements.entries()) {
    const size = sizes[index] ?? 0;
    writeInteger(element === null ? -1 : size);
    if (element !== null) write(array, element, at);
    at += size;
  }
  return array;
}

function integerOf(element: NonNullable<ArrayElement>): number {
  if (Number.isSafeInteger(element)) return Number(element);
  throw new TypeError(`An element of an array is not an integer: ${JSON.stringify(element)}.`);
}

function bytesOf(element: NonNullable<ArrayElement>): Uint8Array {
  if (element instanceof Uint8Array) return element;
  throw new TypeError('An element of an array is not a Uint8Array.');
}
