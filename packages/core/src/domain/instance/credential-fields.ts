/** How many values the credentials of an instance have at most. */
export const CREDENTIALS_MAX = 20;

/** The length of a value, in Unicode code points. */
export const CREDENTIAL_MAX = 4_096;

/** How long the page is open on which a person enters the credentials of an instance. */
export const LINK_PAGE_MS: number = 60 * 60_000;
