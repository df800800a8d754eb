import { setTimeout as wait } from 'node:timers/promises';
import type { Account, RemoteFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';

/** Links the number by QR. Returns the id of the new instance. */
export async function linkNumber(
  wa: RemoteFakeWhatsApp,
  api: TrunklineClient,
  account: Account,
): Promise<string> {
  const { id } = unwrap(await api.instances.create({ name: account.name })).data;
  unwrap(await api.instances.connect(id));
  await until(async () => unwrap(await api.instances.get(id)).data.status === 'qr_required');
  await wa.scanQr(account, unwrap(await api.instances.qr(id)).data.code);
  await until(async () => unwrap(await api.instances.get(id)).data.status === 'connected');
  return id;
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(100);
}

export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly ms: number }> {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}
