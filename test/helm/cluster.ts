import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A Secret or ConfigMap that helm can look up. */
export interface Stored {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
}

/** The part of the Kubernetes API that `helm install --dry-run=server` asks: its version, its kinds, and single objects. */
export interface Cluster {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  store(objects: readonly Stored[]): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const plural = { Secret: 'secrets', ConfigMap: 'configmaps' } as const;

export async function openCluster(): Promise<Cluster> {
  let stored: readonly Stored[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = pathOf(request);
    asked.push(path);
    const answer = fixed[path] ?? objectAt(path, stored);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? notFound));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    store(objects) {
      stored = objects;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const pathOf = ({ url = '/' }: IncomingMessage) => new URL(url, 'http://cluster').pathname;

const notFound = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

const kinds: Readonly<Record<string, readonly string[]>> = {
  v1: ['Secret', 'ConfigMap', 'Service', 'ServiceAccount', 'PersistentVolumeClaim', 'Pod'],
  'apps/v1': ['Deployment'],
  'networking.k8s.io/v1': ['NetworkPolicy'],
};

const groups = Object.keys(kinds).filter((group) => group !== 'v1');

const fixed: Readonly<Record<string, unknown>> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map((groupVersion) => {
      const version = { groupVersion, version: 'v1' };
      return { name: groupVersion.split('/')[0], versions: [version], preferredVersion: version };
    }),
  },
  ...Object.fromEntries(
    Object.entries(kinds).map(([groupVersion, names]) => [
      groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`,
      {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion,
        resources: names.map((kind) => ({
          name: kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`,
          kind,
          namespaced: true,
          verbs: ['get', 'list', 'create'],
        })),
      },
    ]),
  ),
};

function objectAt(path: string, stored: readonly Stored[]): unknown {
  const found = stored.find(
    ({ kind, namespace, name }) => path === `/api/v1/namespaces/${namespace}/${plural[kind]}/${name}`,
  );
  if (found === undefined) return undefined;
  const { kind, namespace, name, version: resourceVersion } = found;
  return { kind, apiVersion: 'v1', metadata: { name, namespace, resourceVersion }, data: {} };
}
