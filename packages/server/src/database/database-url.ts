export type NamedDatabase =
  { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres'; readonly url: string };

/** A complaint to print after a setting's name. Never reveals the setting's value. */
export interface UrlFlaw {
  readonly kind: 'flaw';
  readonly complaint: string;
}

/** Returns the database that a URL names, or the flaw in the URL. */
export function databaseNamed(url: string): NamedDatabase | UrlFlaw {
  const path = /^sqlite:(.+)$/s.exec(url)?.[1];
  if (path !== undefined && path !== ':memory:')
    return NOT_A_PATH.test(path) ? { kind: 'flaw', complaint: SQLITE } : { kind: 'sqlite', path };
  if (!/^postgres(ql)?:\/\//.test(url)) return { kind: 'flaw', complaint: NEITHER };
  const complaint = flawInPostgresUrl(url);
  return complaint === null ? { kind: 'postgres', url } : { kind: 'flaw', complaint };
}

const NEITHER = 'must be sqlite: and the path of a file, or postgres:// and where the database is.';
/** A host, another scheme, parameters or percent-encoding, all of which SQLite would put into the file's name. */
const NOT_A_PATH = /^\/\/(?!\/)|^file:|\?|%[\da-f]{2}/i;
const SQLITE =
  'must be sqlite: and the path of a file as it is, such as sqlite:/srv/trunkline.db: without //, parameters (?…) and percent-encoding (%20).';
const SEVERAL_HOSTS =
  'must name one host: for several servers, use an address that always leads to the primary, such as that of a proxy.';
const ENCODING =
  'must be a URL like postgres://user:password@host:5432/database. In the user name and the password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25.';

function flawInPostgresUrl(url: string): string | null {
  const rest = url.slice(url.indexOf('//') + 2);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const beyond = rest.slice(authority.length);
  const [path = ''] = beyond.split('?', 1);
  // A / ? or # in the password would end the authority before its @. In the query, an @ is valid: ?user=me@example.com
  const isCutOff = /[@#]/.test(path) || /^[^=&]*@|#/.test(beyond.slice(path.length));
  if (isCutOff || /%(?![\da-f]{2})/i.test(authority)) return ENCODING;
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) return SEVERAL_HOSTS;
  return URL.canParse(url) ? null : ENCODING;
}
