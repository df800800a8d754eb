const PARAMETER = /\{(\w+)\}/;

/** The name of the parameter in a path of the specification; no path has more than one. */
export function parameterOf(path: string): string | undefined {
  return PARAMETER.exec(path)?.[1];
}

/** A path of the specification as the router writes it: `/instances/:instance` for `/instances/{instance}`. */
export function routerPath(path: string): string {
  return path.replace(PARAMETER, ':$1');
}
