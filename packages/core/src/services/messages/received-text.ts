import { boundedText, TEXT_RECEIVED_MAX } from '../../domain/message/inbound-bounds.ts';
import type { ServiceContext } from '../context.ts';

/** Cuts the text or caption of a reported message to the part that is stored. */
export function receivedText<Text extends string | null>(
  { logger }: Pick<ServiceContext, 'logger'>,
  about: { readonly instanceId: string; readonly messageId: string },
  text: Text,
): Text {
  const bounded = boundedText(text, TEXT_RECEIVED_MAX);
  if (text !== null && bounded !== null && bounded.length < text.length) {
    logger.warn(
      { ...about, length: text.length },
      `the text of a received message is longer than ${TEXT_RECEIVED_MAX} UTF-16 code units, so only its beginning is stored: no app of the network sends such a text, so it comes from a program, and whoever runs that has to shorten it`,
    );
  }
  return bounded;
}
