{{/* The pod of a role. Takes { root, component, role, values }: the values of the role. */}}
{{- define "rollcall.podTemplate" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $annotations := dict "kubectl.kubernetes.io/default-container" "rollcall" }}
{{- if not $root.Values.existingConfigMap }}
{{- $_ := set $annotations "checksum/config" (include "rollcall.config" $root | sha256sum) }}
{{- end }}
{{- if $root.Values.restartOnChangedReferences }}
{{- with include "rollcall.referenceVersions" $root }}{{ $_ := set $annotations "checksum/references" (sha256sum .) }}{{ end }}
{{- end }}
metadata:
  {{- include "rollcall.metadata" (dict "root" $root "component" .component "labels" (merge (dict) $values.podLabels $root.Values.podLabels) "annotations" (merge $annotations $values.podAnnotations $root.Values.podAnnotations)) | nindent 2 }}
spec:
  {{- include "rollcall.podCommon" (dict "root" $root "values" $values "configMap" (include "rollcall.configMapName" $root) "serviceAccount" (include "rollcall.serviceAccountName" $root)) | nindent 2 }}
  terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
  {{- with $values.affinity | default $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if $values.topologySpreadConstraints | default $root.Values.topologySpreadConstraints }}
    {{- include "rollcall.fill" (dict "root" $root "value" ($values.topologySpreadConstraints | default $root.Values.topologySpreadConstraints)) | nindent 4 }}
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
      {{- include "rollcall.containerCommon" (dict "root" $root "values" $values) | nindent 6 }}
      args: [start, --role, {{ .role }}]
      {{- if include "rollcall.listens" $root }}
      ports:
        - { name: http, containerPort: {{ include "rollcall.port" $root }}, protocol: TCP }
      {{- with $root.Values.config.server.metricsPort }}
        - { name: metrics, containerPort: {{ int . }}, protocol: TCP }
      {{- end }}
      {{- range $probe, $path := dict "startupProbe" "/startupz" "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
      {{ $probe }}:
        httpGet: { path: {{ $path }}, port: http }
        {{- toYaml (get $root.Values $probe) | nindent 8 }}
      {{- end }}
      {{- if eq .component "server" }}
      # Time for the Service to stop sending requests here.
      lifecycle:
        preStop:
          exec: { command: [sleep, "3"] }
      {{- end }}
      {{- end }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
    {{- with $root.Values.extraContainers }}
    {{- include "rollcall.fill" (dict "root" $root "value" .) | nindent 4 }}
    {{- end }}
{{- end }}

{{/*
What every pod has. Takes { root, configMap, serviceAccount }, and as needed values: those of the role, and state: "scratch" for a pod that
opens no store.
*/}}
{{- define "rollcall.podCommon" -}}
{{- $configMap := .configMap -}}
{{- $values := default dict .values -}}
{{- $state := .state -}}
serviceAccountName: {{ .serviceAccount }}
{{- with .root }}
automountServiceAccountToken: {{ .Values.serviceAccount.automount }}
enableServiceLinks: false
{{- with include "rollcall.podSecurityContext" . }}
securityContext:
  {{- . | nindent 2 }}
{{- end }}
{{- with concat .Values.imagePullSecrets (default list .Values.global.imagePullSecrets) | uniq }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $key := list "priorityClassName" "runtimeClassName" "dnsPolicy" }}
{{- with get $values $key | default (get $.root.Values $key) }}
{{ $key }}: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.nodeSelector | default .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations | default .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.initContainers }}
initContainers:
  {{- include "rollcall.fill" (dict "root" $.root "value" .) | nindent 2 }}
{{- end }}
volumes:
  - name: config
    configMap:
      name: {{ $configMap }}
  - name: state
    {{- if and (include "rollcall.keepsStore" .) (ne $state "scratch") }}
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
  {{- include "rollcall.fill" (dict "root" $.root "value" .) | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The container of every pod. Takes { root }, and values: those of the role, if it has one. */}}
{{- define "rollcall.containerCommon" -}}
{{- $own := (default dict .values).extraEnv | default list }}
{{- $replaced := list }}
{{- range $own }}{{ $replaced = append $replaced .name }}{{ end }}
{{- with .root -}}
image: {{ include "rollcall.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- with include "rollcall.securityContext" . }}
securityContext:
  {{- . | nindent 2 }}
{{- end }}
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
  {{- if not (has $name $replaced) }}
  - name: {{ $name }}
    valueFrom:
      secretKeyRef:
        name: {{ $from.secret }}
        key: {{ $from.key }}
  {{- end }}
  {{- end }}
  {{- with .Values.telemetry.endpoint }}
  - name: OTEL_EXPORTER_OTLP_ENDPOINT
    value: {{ tpl . $.root | quote }}
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: OTEL_RESOURCE_ATTRIBUTES
    value: service.instance.id=$(POD_NAME),k8s.pod.name=$(POD_NAME),k8s.namespace.name={{ $.root.Release.Namespace }}
  {{- end }}
  {{- $env := list }}
  {{- range .Values.extraEnv }}{{ if not (has .name $replaced) }}{{ $env = append $env . }}{{ end }}{{ end }}
  {{- with concat $env $own }}
  {{- include "rollcall.fill" (dict "root" $.root "value" .) | nindent 2 }}
  {{- end }}
{{- with .Values.envFrom }}
envFrom:
  {{- include "rollcall.fill" (dict "root" $.root "value" .) | nindent 2 }}
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
  {{- include "rollcall.fill" (dict "root" $.root "value" .) | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
