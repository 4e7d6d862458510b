type Values = Readonly<Record<string, unknown>>;

/** One way to install the chart. */
export interface ValueSet {
  /** A file of helm/rollcall/ci, under the values. */
  readonly base:
    | 'single-sqlite'
    | 'single-postgres'
    | 'single-silent'
    | 'existing-configmap'
    | 'distributed'
    | 'distributed-keda';
  readonly values?: Values;
  /** More arguments for helm. */
  readonly args?: readonly string[];
}

/** A container that the profile "restricted" accepts. */
const beside = (name: string, more: Values = {}) => ({
  name,
  image: `registry.example.com/${name}:1`,
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  ...more,
});

/** The ways in which charts of this kind are installed, by what they are about. */
export const valueSets: Readonly<Record<string, ValueSet>> = {
  'one pod with SQLite': { base: 'single-sqlite' },
  'one pod with an existing claim': { base: 'single-sqlite', values: { persistence: { existingClaim: 'mine' } } },
  'one pod whose volume no other pod may mount': {
    base: 'single-sqlite',
    values: {
      persistence: { accessMode: 'ReadWriteOncePod', storageClass: 'fast', size: '10Gi', annotations: { a: 'b' } },
    },
  },
  'one pod with PostgreSQL': { base: 'single-postgres' },
  'pods that send telemetry': {
    base: 'distributed',
    values: { telemetry: { endpoint: 'http://otel-collector.{{ .Release.Namespace }}:4318' } },
  },
  'one pod whose store is in a Secret': {
    base: 'single-sqlite',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration.
    values: { config: { store: '${env:STORE}' }, secretEnv: { STORE: { secret: 'db', key: 'url' } } },
  },
  'one pod that does not listen': { base: 'single-silent' },
  'a ConfigMap of others': { base: 'existing-configmap' },
  'a ConfigMap of others, many pods': { base: 'existing-configmap', values: { mode: 'distributed' } },
  'many pods, scaled by CPU': { base: 'distributed' },
  'many pods, scaled by CPU slowly': {
    base: 'distributed',
    values: { worker: { autoscaling: { behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } } } },
  },
  'many pods, a fixed number': {
    base: 'distributed',
    values: {
      worker: { replicas: 3, autoscaling: { enabled: false } },
      scheduler: { replicas: 1 },
      server: { replicas: 1 },
    },
  },
  'many pods, scaled by KEDA': { base: 'distributed-keda' },
  'many pods, scaled by KEDA to zero': {
    base: 'distributed-keda',
    values: {
      worker: {
        keda: {
          minReplicas: 0,
          fallback: { failureThreshold: 3, replicas: 2 },
          advanced: { restoreToOriginalReplicaCount: true },
        },
      },
    },
  },
  'many pods that do not listen': { base: 'distributed-keda', values: { config: { server: null } } },
  'many pods, migrated by the first': { base: 'distributed', values: { migrations: { job: false } } },
  'many pods, a share of them drained at once': {
    base: 'distributed',
    values: {
      podDisruptionBudget: { maxUnavailable: '25%' },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      revisionHistoryLimit: 10,
    },
  },
  'no budget and no network policy': {
    base: 'distributed',
    values: { podDisruptionBudget: { enabled: false }, networkPolicy: { enabled: false } },
  },
  'a closed network policy': {
    base: 'distributed',
    values: { networkPolicy: { openPorts: false, egress: [{ ports: [{ port: 443, protocol: 'TCP' }] }] } },
  },
  'OpenShift, said by the values': { base: 'distributed', values: { openshift: 'always' } },
  'OpenShift, seen by its API': { base: 'single-sqlite', args: ['--api-versions', 'security.openshift.io/v1'] },
  'ids that the cluster chooses': {
    base: 'single-sqlite',
    values: {
      podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: 2000, supplementalGroups: [3000] },
      securityContext: { runAsNonRoot: true, runAsUser: 2000 },
    },
  },
  'a sidecar and an init container': {
    base: 'distributed',
    values: {
      extraContainers: [beside('log-shipper', { args: ['--release={{ .Release.Name }}'] })],
      initContainers: [beside('wait-for-files', { volumeMounts: [{ name: 'hr', mountPath: '/hr' }] })],
    },
  },
  'a database proxy beside every pod, the migration too': {
    base: 'single-postgres',
    values: { initContainers: [beside('database-proxy', { restartPolicy: 'Always' })] },
  },
  'objects of others': {
    base: 'single-sqlite',
    values: {
      extraObjects: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-one' }, data: { a: 'b' } },
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "rollcall.fullname" . }}-two\n',
      ],
    },
  },
  'slow probes': {
    base: 'single-sqlite',
    values: {
      startupProbe: { failureThreshold: 900, initialDelaySeconds: 5 },
      livenessProbe: { periodSeconds: 60, terminationGracePeriodSeconds: 30 },
      readinessProbe: { successThreshold: 2 },
      terminationGracePeriodSeconds: 300,
    },
  },
  'Prometheus with relabeling, in its own namespace': {
    base: 'distributed',
    values: {
      serviceMonitor: {
        namespace: 'monitoring',
        interval: '1m',
        scrapeTimeout: '20s',
        annotations: { owner: 'hr' },
        relabelings: [{ action: 'replace', sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'node' }],
        metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'rollcall_request_.*' }],
      },
      prometheusRule: { matchers: 'namespace="{{ .Release.Namespace }}"', annotations: { owner: 'hr' } },
      dashboard: { labels: { grafana: 'hr' }, annotations: { grafana_folder: 'HR' } },
    },
  },
  'Prometheus by the pods, on the port of the API': {
    base: 'distributed',
    values: {
      serviceMonitor: { enabled: false },
      podMonitor: { enabled: true },
      config: { server: { metricsPort: null, metrics: 'open' } },
      networkPolicy: { metricsIngress: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] },
    },
  },
  'two IP families': {
    base: 'distributed',
    values: { service: { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' } },
  },
  'a load balancer for a few networks': {
    base: 'distributed',
    values: {
      service: {
        type: 'LoadBalancer',
        port: 8443,
        loadBalancerClass: 'example.com/internal',
        loadBalancerSourceRanges: ['10.0.0.0/8'],
        annotations: { 'example.com/scheme': 'internal' },
        labels: { exposed: 'true' },
      },
    },
  },
  'several hosts': {
    base: 'distributed',
    values: {
      ingress: {
        hosts: [
          { host: 'rollcall.example.com', tlsSecret: 'one' },
          { host: 'people.example.com', tlsSecret: 'one' },
          { host: '{{ .Release.Name }}.example.org', tlsSecret: '{{ .Release.Name }}-tls' },
          { host: 'plain.example.net' },
        ],
        annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
        labels: { exposed: 'true' },
      },
    },
  },
  'a route of the Gateway API': {
    base: 'distributed',
    values: {
      ingress: { enabled: false },
      httpRoute: {
        enabled: true,
        parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
        hostnames: ['rollcall.example.com', '{{ .Release.Name }}.example.org'],
        filters: [
          {
            type: 'ResponseHeaderModifier',
            responseHeaderModifier: { set: [{ name: 'x-served-by', value: 'gateway' }] },
          },
        ],
      },
    },
  },
  'a parent chart with global values': {
    base: 'single-sqlite',
    values: {
      enabled: true,
      global: { imagePullSecrets: [{ name: 'shared' }], team: 'hr' },
      imagePullSecrets: [{ name: 'own' }],
    },
  },
  'scheduling for all pods': {
    base: 'distributed',
    values: {
      nodeSelector: { pool: 'batch' },
      tolerations: [{ key: 'batch', operator: 'Exists', effect: 'NoSchedule' }],
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { a: 'b' } },
        },
      ],
      priorityClassName: 'low',
      runtimeClassName: 'gvisor',
    },
  },
  'scheduling of one role': {
    base: 'distributed',
    values: {
      nodeSelector: { pool: 'batch' },
      worker: {
        nodeSelector: { pool: 'large' },
        tolerations: [{ key: 'large', operator: 'Exists' }],
        affinity: { podAntiAffinity: {} },
        topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
      },
    },
  },
  'pods of one role unlike the others': {
    base: 'distributed',
    values: {
      extraEnv: [{ name: 'LEVEL', value: 'all' }],
      secretEnv: { KEY: { secret: 'keys', key: 'key' } },
      podAnnotations: { note: 'all' },
      podLabels: { tier: 'batch' },
      priorityClassName: 'low',
      worker: {
        extraEnv: [
          { name: 'LEVEL', value: 'worker' },
          { name: 'HEAP', value: '{{ .Release.Name }}' },
          { name: 'KEY', value: 'own' },
        ],
        podAnnotations: { note: 'worker' },
        podLabels: { tier: 'large' },
        priorityClassName: 'high',
      },
    },
  },
  'nothing that runs': {
    base: 'distributed',
    values: { scheduler: { replicas: 0 }, worker: { replicas: 0 }, server: { replicas: 0 } },
  },
  'labels and annotations everywhere': {
    base: 'distributed',
    values: {
      commonLabels: { team: 'hr', 'app.kubernetes.io/name': 'other' },
      commonAnnotations: { 'example.com/release': '{{ .Release.Name }}' },
      deploymentAnnotations: { 'reloader.stakater.com/auto': 'true' },
      podAnnotations: { 'example.com/note': 'mind the gap' },
      podLabels: { tier: 'batch' },
      migrations: { podAnnotations: { 'sidecar.istio.io/inject': 'false' } },
      serviceAccount: {
        annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/rollcall' },
        labels: { a: 'b' },
      },
    },
  },
  'names and DNS of its own': {
    base: 'single-sqlite',
    values: {
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.10'], options: [{ name: 'ndots', value: '2' }] },
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['hr.example.com'] }],
    },
  },
  'a token for a sidecar': {
    base: 'distributed',
    values: { serviceAccount: { create: false, name: 'vault', automount: true } },
  },
  'a proxy and private authorities': {
    base: 'distributed',
    values: { proxy: { https: 'http://proxy.example.com:3128', noProxy: '.svc' }, ca: { configMap: 'company-ca' } },
  },
  'environment and volumes by templates': {
    base: 'distributed',
    values: {
      extraEnv: [
        { name: 'RELEASE', value: '{{ .Release.Name }}' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      envFrom: [{ secretRef: { name: '{{ .Release.Name }}-env', optional: true } }],
      extraVolumes: [
        {
          name: 'cache',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
      ],
      extraVolumeMounts: [{ name: 'cache', mountPath: '/data/{{ .Release.Name }}' }],
    },
  },
};
