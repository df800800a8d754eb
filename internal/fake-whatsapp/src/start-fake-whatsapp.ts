import { disturbingApi } from './api/disturbing-api.ts';
import { incomingApi } from './api/incoming-api.ts';
import { mediaApi } from './api/media-api.ts';
import { observingApi } from './api/observing-api.ts';
import { phoneApi } from './api/phone-api.ts';
import { standingApi } from './api/standing-api.ts';
import { trustApi } from './api/trust-api.ts';
import { upkeepApi } from './api/upkeep-api.ts';
import { versionApi } from './api/version-api.ts';
import { directoryApi } from './api/directory-api.ts';
import { trustFakeWhatsApp } from './client-settings.ts';
import type { FakeWhatsApp, FakeWhatsAppOptions } from './fake-whatsapp.ts';
import { MediaHost } from './media/media-host.ts';
import { Network } from './network.ts';
import { WebSocketHost } from './web-socket-host.ts';

/** Starts a server on ports that the system picks, only on loopback. */
export async function startFakeWhatsApp({ now = Date.now }: FakeWhatsAppOptions = {}): Promise<FakeWhatsApp> {
  const network = new Network(await MediaHost.start(now), now);
  const host = new WebSocketHost(network);
  await host.start();
  const client = {
    waWebSocketUrl: host.url,
    noiseRoot: Buffer.from(network.authority.publicKey).toString('base64'),
    mediaAuthority: network.media.authority,
  };
  const observing = observingApi(network);
  return {
    client,
    trust: () => trustFakeWhatsApp(client),
    ...directoryApi(network),
    ...phoneApi(network, host.switchboard),
    ...incomingApi(network),
    ...observing,
    ...standingApi(network),
    ...trustApi(network),
    ...upkeepApi(network, host.switchboard),
    ...versionApi(network),
    ...mediaApi(network),
    ...disturbingApi(network, host.switchboard),
    stop: async () => {
      await host.stop();
      await network.media.stop();
      network.chronicle.close();
      observing.assertClean();
    },
  };
}
