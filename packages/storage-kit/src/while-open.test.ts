import { expect, it, vi } from 'vitest';
import { whileOpen } from './while-open.ts';

const NOT_OPEN = new Error(
  'The storage is not open: start Trunkline first, or start it again if it was stopped.',
);
const OPEN_ALREADY = new Error('The storage is already open: close it first, or create another one.');

it('a storage works between open and close, again and again', async () => {
  const { open, close, connected, current } = whileOpen<Connection>();
  expect(connected).toThrow(NOT_OPEN);
  for (const connection of [aConnection(), aConnection()]) {
    await open(() => connection);
    expect(connected()).toBe(connection);
    expect(current()).toBe(connection);
    await close();
    expect(connection.close).toHaveBeenCalledOnce();
    expect(connected).toThrow(NOT_OPEN);
    expect(current()).toBeNull();
  }
});

it('a storage that is open, or is being opened, is not opened again', async () => {
  const { open, close } = whileOpen<Connection>();
  const opening = open(async () => aConnection());
  const second = vi.fn(aConnection);
  await expect(open(second)).rejects.toThrow(OPEN_ALREADY);
  await opening;
  await expect(open(second)).rejects.toThrow(OPEN_ALREADY);
  expect(second).not.toHaveBeenCalled();
  await close();
});

it('a storage that could not be opened stays closed, and can be opened', async () => {
  const { open, close, connected } = whileOpen<Connection>();
  const failing = open(() => Promise.reject(new Error('no such directory')));
  await Promise.all([expect(failing).rejects.toThrow('no such directory'), close()]);
  expect(connected).toThrow(NOT_OPEN);
  await open(aConnection);
  await close();
});

it('a storage that is closed while it opens is closed once it is open', async () => {
  const { open, close, connected } = whileOpen<Connection>();
  const connection = aConnection();
  await Promise.all([open(async () => connection), close()]);
  expect(connection.close).toHaveBeenCalledOnce();
  expect(connected).toThrow(NOT_OPEN);
});

it('a storage is closed once, however often that is asked for', async () => {
  const { open, close } = whileOpen<Connection>();
  await close();
  const connection = aConnection();
  await open(() => connection);
  await Promise.all([close(), close()]);
  await close();
  expect(connection.close).toHaveBeenCalledOnce();
});

it('calls in flight find the storage open until they have ended', async () => {
  const { open, close, connected } = whileOpen<Connection & { readonly idle: () => Promise<void> }>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const connection = { ...aConnection(), idle: () => promise };
  await open(() => connection);
  const closing = Promise.all([close(), close()]);
  expect(connected()).toBe(connection);
  expect(connection.close).not.toHaveBeenCalled();
  resolve();
  await closing;
  expect(connection.close).toHaveBeenCalledOnce();
});

type Connection = ReturnType<typeof aConnection>;

function aConnection() {
  return { close: vi.fn(async () => undefined) };
}
