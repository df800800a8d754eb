import type { MediaStore } from '../../src/index.ts';
import type { OutgoingContent } from '../../src/spi/gateway.ts';
import { memoryMediaStore } from '../../src/testing/index.ts';
import { scriptedGateway } from './scripted-gateway.ts';
import type { Script, ScriptedGateway } from './scripted-gateway.ts';
import { connectScripted, jumpAhead, listen, only, startHarness } from './harness.ts';
import type { Harness } from './harness.ts';

export const PNG: Uint8Array<ArrayBuffer> = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
  0, 0, 0,
]);

/** A harness whose network accepts files, with a media store that a test can disturb. */
export interface MediaHarness {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  /** The undisturbed store, which shows the kept files. */
  readonly media: ReturnType<typeof memoryMediaStore>;
  /** The store as the service sees it. */
  readonly store: MediaStore;
  readonly instance: string;
}

export async function startMediaHarness(
  script: Partial<Script> = {},
  disturbed: (media: MediaStore) => MediaStore = (media) => media,
): Promise<MediaHarness> {
  const gateway = mediaGateway(script);
  const media = memoryMediaStore();
  const store = disturbed(media);
  const harness = await startHarness({ gateway, media: store });
  await listen(harness);
  return { harness, gateway, media, store, instance: await connectScripted(harness) };
}

export function mediaGateway(script: Partial<Script> = {}): ScriptedGateway {
  return {
    ...scriptedGateway(script),
    capabilities: ['text', 'image', 'document', 'audio', 'video', 'groups'],
  };
}

/**
 * Lets time pass with only maintenance running, since no connection outlives a jump of the clock. Nothing runs in
 * this harness afterwards.
 */
export async function passOnly(
  { harness, store }: Pick<MediaHarness, 'harness'> & { readonly store: MediaStore | undefined },
  ms: number,
): Promise<void> {
  await harness.trunkline.stop();
  const { trunkline } = await harness.another({ media: store, roles: only('maintenance') });
  await jumpAhead(harness, ms);
  await trunkline.stop();
}

/** The bytes of a file as the gateway reads it; null for a text. */
export async function bytesOf(content: OutgoingContent | undefined): Promise<Uint8Array | null> {
  if (!content || !('file' in content)) return null;
  return new Response(await content.file.open()).bytes();
}

export function png(): Blob {
  return new Blob([PNG]);
}
