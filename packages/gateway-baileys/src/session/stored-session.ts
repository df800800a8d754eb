import type { GatewayContext, Session } from '@trunkline/core/spi/gateway';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { ARRIVALS, createArrivals } from '../inbound/arrivals.ts';
import type { Arrivals, ReadMessages } from '../inbound/arrivals.ts';
import { HISTORY, pendingHistory } from '../history/pending-history.ts';
import type { PendingHistory } from '../history/pending-history.ts';
import { messageSecrets } from '../inbound/message-secrets.ts';
import type { KeptSecrets } from '../inbound/message-secrets.ts';
import { pollSecrets } from '../inbound/poll-secrets.ts';
import { UNREADABLE } from '../inbound/unreadable.ts';
import { CREDENTIALS, readCredentials } from './credentials.ts';
import { LEARNED_VERSION } from './learned-version.ts';
import { sentMessages } from './sent-messages.ts';
import type { SentMessages } from './sent-messages.ts';
import { readSession } from './session-values.ts';
import type { SessionValues } from './session-values.ts';

/** All stored data of an instance, read for one connection. */
export interface StoredSession {
  readonly values: SessionValues;
  readonly creds: AuthenticationCreds;
  readonly arrivals: Arrivals;
  readonly sent: SentMessages;
  readonly history: PendingHistory;
  /** Resolves with the error of the first failed write, if any. */
  readonly broken: Promise<unknown>;
}

export async function readStoredSession(
  session: Session,
  { clock, logger }: Pick<GatewayContext, 'clock' | 'logger'>,
  { read, secrets: kept }: { readonly read: ReadMessages; readonly secrets: KeptSecrets },
): Promise<StoredSession> {
  const { promise: broken, resolve } = Promise.withResolvers<unknown>();
  const values = await readSession(session, resolve, {
    names: [CREDENTIALS, LEARNED_VERSION],
    prefixes: [ARRIVALS, UNREADABLE, HISTORY],
  });
  const edits = messageSecrets({
    values,
    kept,
    unopened: (reason) =>
      logger.warn(
        { instanceId: session.instanceId, reason },
        'an edit could not be decrypted, so the message keeps its previous text: expected for messages that arrived before this number was linked',
      ),
  });
  const votes = pollSecrets({
    values,
    unopened: () =>
      logger.warn(
        { instanceId: session.instanceId },
        'a vote in a poll could not be decrypted, so it is not counted: ask the person to vote again',
      ),
  });
  const history = pendingHistory(values, () =>
    logger.warn({ instanceId: session.instanceId }, HISTORY_DROPPED),
  );
  const creds = await readCredentials(values);
  return {
    values,
    creds,
    broken,
    arrivals: createArrivals({ values, clock, heardOf: read, secrets: [edits, votes], history }),
    history,
    sent: sentMessages(values, clock),
  };
}

const HISTORY_DROPPED =
  'a part of the history of a newly linked phone is too large and was left out: if WhatsApp refuses messages to customers of long standing (account_restricted), have them write first';
