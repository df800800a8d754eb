import { expect, it } from 'vitest';
import { createOrderedWork } from './ordered-work.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('ordered work does not begin before it is started', async () => {
  const done: string[] = [];
  const work = createOrderedWork(2);
  work.run('a', async () => void done.push('a'));
  await turn();
  expect(done).toEqual([]);
  work.release();
  await work.completed();
  expect(done).toEqual(['a']);
});

it('ordered work keeps the order within a key, and lets no key wait for another', async () => {
  const done: string[] = [];
  const slow = Promise.withResolvers<void>();
  const work = createOrderedWork(2);
  work.release();
  work.run('a', async () => {
    await slow.promise;
    done.push('a1');
  });
  work.run('a', async () => void done.push('a2'));
  work.run('b', async () => void done.push('b1'));
  await turn();
  expect(done).toEqual(['b1']);
  slow.resolve();
  await work.completed();
  expect(done).toEqual(['b1', 'a1', 'a2']);
});

it('ordered work runs no more concurrently than its limit, and goes on after a failure', async () => {
  let running = 0;
  let most = 0;
  const work = createOrderedWork(3);
  work.release();
  for (let i = 0; i < 20; i++) {
    work.run(`key ${i}`, async () => {
      most = Math.max(most, (running += 1));
      await turn();
      running -= 1;
      throw new Error('reported by the work itself');
    });
  }
  await work.completed();
  expect([most, running]).toEqual([3, 0]);
});
