import type { MediaFailure, MediaHostState, MediaRequest } from '../media/media-host.ts';
import type { MediaRetryResponse } from '../media/media-retries.ts';
import type { Network } from '../network.ts';
import type { Account } from './directory-api.ts';

/** The behaviour of media hosts, and of phones that are asked for files. */
export interface MediaApi {
  /** The next `times` requests to media hosts (one by default) fail in this way. */
  failMedia(failure: MediaFailure, times?: number): void;
  /** Makes the media hosts lose their files (404). */
  forgetMedia(): void;
  /** Expires the addresses of all existing files (403). */
  expireMedia(): void;
  /** Expires the upload tokens that clients have got so far (401). */
  expireMediaTokens(): void;
  /** Replaces the hosts that clients get. The new hosts have all files. */
  setMediaHosts(...states: readonly MediaHostState[]): Promise<void>;
  /** All requests to media hosts, including replaced ones, in order. */
  mediaRequests(): readonly MediaRequest[];
  /** How the account's phone responds when it is asked to upload a file again; `silent` by default. */
  respondToMediaRetries(account: Account, response: MediaRetryResponse): void;
  /** Keeps the account's phone from responding until `releaseMediaRetries`, when it responds to all requests. */
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
