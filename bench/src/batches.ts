export function* inBatches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let index = 0; index < items.length; index += size) yield items.slice(index, index + size);
}
