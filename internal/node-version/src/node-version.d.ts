/** The oldest Node.js that the packages run on, as `major.minor`. */
export declare const NEEDED_NODE: string;

/** The parts of `globalThis` that the check reads. */
export interface RuntimeGlobals {
  readonly process?: {
    readonly versions?: Readonly<Record<string, string | undefined>>;
    readonly execPath?: string;
  };
  readonly navigator?: { readonly userAgent?: string };
}

/**
 * Returns one sentence that names the needed and the running version, or undefined if nothing is wrong. Only Node.js
 * itself is checked: Bun, Deno and workers pass, whatever version of Node they claim to be.
 */
export declare function nodeVersionProblem(runtime: RuntimeGlobals): string | undefined;
