{{/* The pod of a role. Takes { root, component, role, resources }. */}}
{{- define "rollcall.podTemplate" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "rollcall.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    {{- with $root.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- if not $root.Values.existingConfigMap }}
    checksum/config: {{ include "rollcall.config" $root | sha256sum }}
    {{- end }}
    kubectl.kubernetes.io/default-container: rollcall
    {{- with $root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "rollcall.podCommon" (dict "root" $root "configMap" (include "rollcall.configMapName" $root) "serviceAccount" (include "rollcall.serviceAccountName" $root)) | nindent 2 }}
  terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
  {{- with $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if $root.Values.topologySpreadConstraints }}
    {{- toYaml $root.Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    {{- $component := .component }}
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "rollcall.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $component }}
    {{- end }}
    {{- end }}
  containers:
    - name: rollcall
      {{- include "rollcall.containerCommon" $root | nindent 6 }}
      args: [start, --role, {{ .role }}]
      {{- if include "rollcall.listens" $root }}
      ports:
        - { name: http, containerPort: {{ include "rollcall.port" $root }}, protocol: TCP }
      # The first start may have to bring the store to this version's tables.
      startupProbe:
        httpGet: { path: /startupz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 150
      # Fails for a process that is stuck, not for a platform, a store or a Redis that is away: a restart heals only the first.
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 20
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 2
      {{- if eq .component "server" }}
      # Until nobody sends requests here any more.
      lifecycle:
        preStop:
          exec: { command: [sleep, "3"] }
      {{- end }}
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
{{- end }}

{{/* What every pod has. Takes { root, configMap, serviceAccount }. */}}
{{- define "rollcall.podCommon" -}}
{{- $configMap := .configMap -}}
serviceAccountName: {{ .serviceAccount }}
{{- with .root }}
# It never talks to the cluster.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: config
    configMap:
      name: {{ $configMap }}
  - name: state
    {{- if include "rollcall.keepsStore" . }}
    persistentVolumeClaim:
      claimName: {{ include "rollcall.claimName" . }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ .Values.scratch.sizeLimit }}
    {{- end }}
  - name: tmp
    emptyDir:
      sizeLimit: 256Mi
  {{- with .Values.ca }}
  {{- if .configMap }}
  - name: ca
    configMap:
      name: {{ .configMap }}
      items:
        - { key: {{ .key | quote }}, path: ca.pem }
  {{- end }}
  {{- end }}
  {{- with .Values.secretFiles }}
  - name: secrets
    secret:
      secretName: {{ . }}
      defaultMode: 0440
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "rollcall.containerCommon" -}}
image: {{ include "rollcall.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  - name: ROLLCALL_CONFIG
    value: /data/rollcall.yaml
  {{- range $name, $value := dict "HTTP_PROXY" .Values.proxy.http "HTTPS_PROXY" .Values.proxy.https "NO_PROXY" .Values.proxy.noProxy }}
  {{- with $value }}
  - name: {{ $name }}
    value: {{ . | quote }}
  {{- end }}
  {{- end }}
  {{- if .Values.ca.configMap }}
  - name: NODE_EXTRA_CA_CERTS
    value: /etc/rollcall/ca.pem
  {{- end }}
  {{- range $name, $from := .Values.secretEnv }}
  - name: {{ $name }}
    valueFrom:
      secretKeyRef:
        name: {{ $from.secret }}
        key: {{ $from.key }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  # One file of a folder that is otherwise the pod's own: paths in the configuration are meant from /data.
  - name: config
    mountPath: /data/rollcall.yaml
    subPath: rollcall.yaml
    readOnly: true
  - name: state
    mountPath: /data/.rollcall
  - name: tmp
    mountPath: /tmp
  {{- if .Values.ca.configMap }}
  - name: ca
    mountPath: /etc/rollcall
    readOnly: true
  {{- end }}
  {{- if .Values.secretFiles }}
  - name: secrets
    mountPath: /data/secrets
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
