import { ALSO_ACCEPTED_ON_WHATSAPP } from './accepted-breaks.ts';
import { withBaileys } from './baileys-surroundings.ts';
import { describeMatrix } from './matrix.ts';

describeMatrix({
  name: 'WhatsApp',
  surround: withBaileys,
  // The operations that the gateway calls, or that are called because of its reports.
  only: /^(?:gateway|connection|sessions|history|contacts|groups|activities|media|uploads|downloads)\.|^messages\.(?:receive|change|findOutbound|hasInbound)|^instances\.(?:note|write)/,
  // WhatsApp keeps files, so some of them arrive in time, and others are asked for again later.
  acceptedMayHold: true,
  alsoAccepted: ALSO_ACCEPTED_ON_WHATSAPP,
  // These six modes take twenty minutes, most of which are Baileys' real timers. The matrix of SQLite and the sandbox
  // covers every mode in a tenth of the time.
  modes:
    process.env['FAULTS_ON_WHATSAPP'] === 'all'
      ? ['rejects', 'hangs', 'lost once', 'fenced', 'stale', 'none']
      : ['rejects', 'lost once'],
});
