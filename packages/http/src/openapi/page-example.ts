import { EXAMPLE_ORIGIN } from '../schemas/page.ts';

const EXAMPLE_IDS: Readonly<Record<string, string>> = {
  '{instance}': 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
  '{message}': 'msg_01kaj2r7d1f4g6h8j0k3m5n7p9',
};

/**
 * Puts the address of `path` into the `links` and `meta` of the example of a page, because several routes share an
 * example. Returns any other example unchanged.
 */
export function exampleAt(path: string, example: object): object {
  if (!('meta' in example && 'links' in example)) return example;
  const address = EXAMPLE_ORIGIN + path.replaceAll(/\{\w+\}/g, (name) => EXAMPLE_IDS[name] ?? name);
  const next = `${address}?limit=1&cursor=eyJ2IjoxfQ`;
  return {
    ...example,
    links: { ...(example.links as object), next }, // `links` and `meta` are objects on every page
    meta: { ...(example.meta as object), path: address },
  };
}
