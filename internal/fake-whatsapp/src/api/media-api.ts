import type { MediaFailure, MediaHostState, MediaRequest } from '../media/media-host.ts';
import type { MediaRetryResponse } from '../media/media-retries.ts';
import type { Network } from '../network.ts';
import type { Account } from './directory-api.ts';

/** The behaviour of media hosts, and of phones that are asked for files. */
export interface MediaApi {
  /** The next requests to a media host fail like this. */
  failMedia(failure: MediaFailure, times?: number): void;
  /** The media hosts have lost their files: 404. */
  forgetMedia(): void;
  /** The addresses of all existing files have expired: 403. */
  expireMedia(): void;
  /** The upload tokens that clients have got so far have expired: 401. */
  expireMediaTokens(): void;
  /** From now on, clients get these hosts, which have all files; the previous hosts are gone. */
  setMediaHosts(...states: readonly MediaHostState[]): Promise<void>;
  /** The requests that the running media hosts received, in order. */
  mediaRequests(): readonly MediaRequest[];
  /** How the account's phone responds when it is asked to upload a file again; `silent` by default. */
  respondToMediaRetries(account: Account, response: MediaRetryResponse): void;
  /** The account's phone does not respond until it is released; it then responds to all requests. */
  holdMediaRetries(account: Account): void;
  releaseMediaRetries(account: Account): void;
}

export function mediaApi({ media, disturbances }: Network): MediaApi {
  return {
    failMedia: (failure, times = 1) => media.fail(failure, times),
    forgetMedia: () => media.forget(),
    expireMedia: () => media.addresses.expire(),
    expireMediaTokens: () => media.addresses.expireTokens(),
    setMediaHosts: (...states) => media.setHosts(states),
    mediaRequests: () => media.requests,
    respondToMediaRetries: ({ phoneNumber }, response) =>
      disturbances.phoneFor(phoneNumber).respond(response),
    holdMediaRetries: ({ phoneNumber }) => disturbances.phoneFor(phoneNumber).hold(),
    releaseMediaRetries: ({ phoneNumber }) => disturbances.phoneFor(phoneNumber).release(),
  };
}
