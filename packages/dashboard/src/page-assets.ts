import type { BuiltFiles } from '#assets';
import type { Asset, Assets } from './assets.ts';

const unpacked = new Map<string, Promise<Asset>>();

/** The built files, loaded when the first page is requested. Each file is unpacked on its first request, and cached. */
export const pageAssets: Assets = async (name) => {
  const { loadAssets } = await import('#assets');
  const files = await loadAssets();
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) return null;
  const asset = unpacked.get(name) ?? unpack(file);
  unpacked.set(name, asset);
  return asset;
};

async function unpack({ type, gzip: base64 }: BuiltFiles[string]): Promise<Asset> {
  const gzip = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const content = new Response(gzip).body?.pipeThrough(new DecompressionStream('gzip'));
  return { type, bytes: new Uint8Array(await new Response(content).arrayBuffer()), gzip };
}
