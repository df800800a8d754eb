import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as claim } from 'kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim';
import { validate as secret } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Secret';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as ingress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';

interface Validate {
  (data: unknown): boolean;
  /** The errors of the last call; the package's types omit them. */
  readonly errors?: readonly { readonly instancePath: string; readonly keyword: string }[] | null;
}

const VALIDATORS: Readonly<Record<string, Validate>> = {
  'apps/v1 Deployment': deployment,
  'v1 PersistentVolumeClaim': claim,
  'v1 Secret': secret,
  'v1 Service': service,
  'networking.k8s.io/v1 Ingress': ingress,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
};

/** Kubernetes' complaints about a manifest: a value of a wrong type, a missing field, an unknown field. */
export function complaintsAbout(manifest: {
  readonly apiVersion: string;
  readonly kind: string;
}): readonly string[] {
  const name = `${manifest.apiVersion} ${manifest.kind}`;
  const validate = VALIDATORS[name];
  if (validate === undefined) return [`There is no schema of ${name}.`];
  const read = new Set<string>();
  const isValid = validate(recordReads(manifest, '', read));
  const wrong = isValid
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath}: ${keyword}`);
  // The validators allow unknown fields, but never read them.
  const unknown = pathsOf(manifest, '').filter((path) => !read.has(path));
  return [...wrong, ...unknown.map((path) => `${path}: there is no such field`)];
}

function recordReads<Value>(value: Value, path: string, read: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return found;
      read.add(`${path}/${name}`);
      return recordReads(found, `${path}/${name}`, read);
    },
  });
}

function pathsOf(value: unknown, path: string): readonly string[] {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return fields.flatMap(([name, field]) => [`${path}/${name}`, ...pathsOf(field, `${path}/${name}`)]);
}
