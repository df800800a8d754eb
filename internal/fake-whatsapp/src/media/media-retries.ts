/** How the account's phone responds when a client asks it to upload a file again. */
export type MediaRetryResponse =
  /** The phone is switched off. */
  | 'silent'
  | 'upload'
  /** The phone has deleted the file. */
  | 'not_found'
  /** The server responds for the phone, with only an error code. */
  | 'error';

export class MediaRetries {
  #response: MediaRetryResponse = 'silent';
  #held: ((how: MediaRetryResponse) => void)[] | undefined;

  respond(response: MediaRetryResponse): void {
    this.#response = response;
  }

  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const respond of held) respond(this.#response);
  }

  ask(respond: (how: MediaRetryResponse) => void): void {
    if (this.#held === undefined) respond(this.#response);
    else this.#held.push(respond);
  }
}
