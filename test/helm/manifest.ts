import { parseAllDocuments } from 'yaml';

/** What of a Kubernetes object the tests look at. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: unknown;
  readonly resources: unknown;
  readonly ports?: unknown;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Pick<Container, 'name' | 'volumeMounts'>[];
  readonly priorityClassName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
  readonly serviceAccountName: string;
  readonly securityContext: unknown;
  readonly automountServiceAccountToken: boolean;
}

/** The objects of helm's output, in its order. Throws on YAML that is wrong or holds a key twice. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** Every pod that an installation would make, with the labels and annotations it would have. */
export function podsOf(manifests: readonly Manifest[]) {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const { name } = metadata;
    const own = { metadata, spec };
    const template =
      kind === 'Pod' ? own : kind === 'Deployment' || kind === 'Job' ? (spec?.template as typeof own) : undefined;
    if (template === undefined) return [];
    const { labels = {}, annotations = {} } = template.metadata;
    return [{ name, labels, annotations, pod: template.spec as unknown as PodSpec }];
  });
}
