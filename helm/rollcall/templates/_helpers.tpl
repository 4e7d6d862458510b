{{- define "rollcall.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* 50 letters at most: "-scheduler" and "-migrate" follow. A release may have full stops in its name, a Service may not. */}}
{{- define "rollcall.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "rollcall.name" .) .Release.Name }}
{{- .Release.Name | replace "." "-" | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "rollcall.name" .) | replace "." "-" | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "rollcall.selector" -}}
app.kubernetes.io/name: {{ include "rollcall.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Labels of an object. The labels that selectors need take precedence over those of the values. */}}
{{- define "rollcall.labels" -}}
{{- $own := dict "app.kubernetes.io/version" .Chart.AppVersion "app.kubernetes.io/managed-by" .Release.Service "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") }}
{{- toYaml (merge (include "rollcall.selector" . | fromYaml) $own .Values.commonLabels) }}
{{- end }}

{{/*
metadata of an object. Takes { root, name }, and as needed component, namespace, labels and annotations (maps; annotations are templates).
Labels that selectors need take precedence; of the others, those of the object over the common ones.
*/}}
{{- define "rollcall.metadata" -}}
{{- $root := .root -}}
{{- $needed := include "rollcall.selector" $root | fromYaml }}
{{- with .component }}{{ $_ := set $needed "app.kubernetes.io/component" . }}{{ end }}
{{- $annotations := merge (dict) (default dict .annotations) $root.Values.commonAnnotations }}
{{- with .name -}}
name: {{ . }}
{{ end -}}
{{- with .namespace -}}
namespace: {{ . }}
{{ end -}}
labels:
  {{- toYaml (merge $needed (default dict .labels) (include "rollcall.labels" $root | fromYaml)) | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- tpl (toYaml .) $root | nindent 2 }}
{{- end }}
{{- end }}

{{- define "rollcall.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "rollcall.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "rollcall.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}

{{- define "rollcall.configMapName" -}}
{{- default (include "rollcall.fullname" .) .Values.existingConfigMap }}
{{- end }}

{{/* Takes the null keys out of a map: that is how values remove what other values set. Below a source null may have a meaning. */}}
{{- define "rollcall.prune" -}}
{{- range $key, $value := . }}
{{- if kindIs "invalid" $value }}{{ $_ := unset $ $key }}
{{- else if and (kindIs "map" $value) (ne $key "source") }}{{ include "rollcall.prune" $value }}
{{- end }}
{{- end }}
{{- end }}

{{/* What stands before a command of Rollcall, so that it runs in a pod that is there. */}}
{{- define "rollcall.exec" -}}
{{- $component := ternary "" (printf "-%s" (default "worker" (include "rollcall.roleAtHand" .))) (eq .Values.mode "single") }}
{{- printf "kubectl exec --namespace %s deploy/%s%s --" .Release.Namespace (include "rollcall.fullname" .) $component }}
{{- end }}

{{/* The text of rollcall.yaml. */}}
{{- define "rollcall.config" -}}
{{- $config := deepCopy (default dict .Values.config) }}
{{- include "rollcall.prune" $config }}
{{- if not (hasKey $config "deployment") }}
{{- $_ := set $config "deployment" (printf "%s/%s" .Release.Namespace .Release.Name) }}
{{- end }}
{{- if not (hasKey $config "commandPrefix") }}
{{- $_ := set $config "commandPrefix" (include "rollcall.exec" .) }}
{{- end }}
{{- tpl (toYaml $config) . }}
{{- end }}

{{/* YAML of a value that is a template. Takes { root, value }. */}}
{{- define "rollcall.fill" -}}
{{- tpl (toYaml .value) .root }}
{{- end }}

{{/* The host names of the Ingress, their templates filled, as "one,two". */}}
{{- define "rollcall.hosts" -}}
{{- $hosts := list }}
{{- range .Values.ingress.hosts }}{{ $hosts = append $hosts (tpl .host $) }}{{ end }}
{{- join "," $hosts }}
{{- end }}

{{/* The paths that are reachable from outside: API, sign-in, the page and its files. Health and metrics are not among them. */}}
{{- define "rollcall.publicPaths" -}}
/api,/auth,/docs,/openapi.json,/runbook,/assets,/icon.svg,/licenses.md,/syncs,/runs,/changes,/reports,/holds,/leavers,/people,/previews,/alerts,/audit,/connections,/sign-in
{{- end }}

{{/* "true" when the cluster assigns user and group: an OpenShift cluster, or one that the values call so. */}}
{{- define "rollcall.onOpenShift" -}}
{{- if or (eq .Values.openshift "always") (and (eq .Values.openshift "auto") (.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}true{{ end }}
{{- end }}

{{/* IP families of a Service. */}}
{{- define "rollcall.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Security context of a pod. The restricted SCC of OpenShift refuses ids that are not of the range of the namespace. */}}
{{- define "rollcall.podSecurityContext" -}}
{{- $context := .Values.podSecurityContext }}
{{- if include "rollcall.onOpenShift" . }}{{ $context = omit $context "runAsUser" "runAsGroup" "fsGroup" }}{{ end }}
{{- toYaml $context }}
{{- end }}

{{- define "rollcall.securityContext" -}}
{{- $context := .Values.securityContext }}
{{- if include "rollcall.onOpenShift" . }}{{ $context = omit $context "runAsUser" "runAsGroup" }}{{ end }}
{{- toYaml $context }}
{{- end }}

{{/*
The Secrets and ConfigMaps that the values name, each with its version in the cluster. Empty where nothing can be looked up
(`helm template`). Versions, because a hash of what a Secret holds could be guessed.
*/}}
{{- define "rollcall.referenceVersions" -}}
{{- $named := list }}
{{- with .Values.existingConfigMap }}{{ $named = append $named (list "ConfigMap" .) }}{{ end }}
{{- with .Values.ca.configMap }}{{ $named = append $named (list "ConfigMap" .) }}{{ end }}
{{- with .Values.secretFiles }}{{ $named = append $named (list "Secret" .) }}{{ end }}
{{- range .Values.secretEnv }}{{ $named = append $named (list "Secret" .secret) }}{{ end }}
{{- range (tpl (include "rollcall.extraEnv" .) . | fromYamlArray) }}
{{- with dig "valueFrom" "secretKeyRef" "name" "" . }}{{ $named = append $named (list "Secret" .) }}{{ end }}
{{- with dig "valueFrom" "configMapKeyRef" "name" "" . }}{{ $named = append $named (list "ConfigMap" .) }}{{ end }}
{{- end }}
{{- range (tpl (toYaml .Values.envFrom) . | fromYamlArray) }}
{{- with dig "secretRef" "name" "" . }}{{ $named = append $named (list "Secret" .) }}{{ end }}
{{- with dig "configMapRef" "name" "" . }}{{ $named = append $named (list "ConfigMap" .) }}{{ end }}
{{- end }}
{{- range (tpl (toYaml .Values.extraVolumes) . | fromYamlArray) }}
{{- with dig "secret" "secretName" "" . }}{{ $named = append $named (list "Secret" .) }}{{ end }}
{{- with dig "configMap" "name" "" . }}{{ $named = append $named (list "ConfigMap" .) }}{{ end }}
{{- end }}
{{- $versions := list }}
{{- range $each := uniq $named }}
{{- $found := lookup "v1" (first $each) $.Release.Namespace (last $each) }}
{{- with dig "metadata" "resourceVersion" "" (default dict $found) }}
{{- $versions = append $versions (printf "%s/%s@%s" (first $each) (last $each) .) }}
{{- end }}
{{- end }}
{{- $versions | sortAlpha | join "\n" }}
{{- end }}

{{/* The environment variables of all roles, as YAML. */}}
{{- define "rollcall.extraEnv" -}}
{{- $env := .Values.extraEnv }}
{{- range list "single" "scheduler" "server" "worker" }}{{ $env = concat $env (get $.Values .).extraEnv }}{{ end }}
{{- toYaml $env }}
{{- end }}

{{/* config.store, its templates filled. */}}
{{- define "rollcall.store" -}}
{{- tpl (default "" (default dict .Values.config).store) . }}
{{- end }}

{{/* "true" when the store is PostgreSQL as far as the chart can see. */}}
{{- define "rollcall.onPostgres" -}}
{{- if or (eq .Values.mode "distributed") (hasPrefix "postgres" (include "rollcall.store" .)) }}true{{ end }}
{{- end }}

{{/* "true" when the store is not known before a pod starts: it is in a ConfigMap of others, or whole in a Secret. */}}
{{- define "rollcall.hidesStore" -}}
{{- $store := include "rollcall.store" . }}
{{- if and (eq .Values.mode "single") (or (hasPrefix "${" $store) (and .Values.existingConfigMap (not $store))) }}true{{ end }}
{{- end }}

{{/* "true" when the store is a SQLite file, or may be one, which has to be kept on a volume. */}}
{{- define "rollcall.keepsStore" -}}
{{- if not (include "rollcall.onPostgres" .) }}true{{ end }}
{{- end }}

{{/* "true" when a second pod may look at the store: it shares a volume with a pod that is there, unless only one pod may have it. */}}
{{- define "rollcall.hasTestPod" -}}
{{- if not (and (include "rollcall.keepsStore" .) (or (eq .Values.persistence.accessMode "ReadWriteOncePod") (eq (int .Values.single.replicas) 0))) }}true{{ end }}
{{- end }}

{{/* The role on whose pods people work by hand, "" when there is none. A worker has the most memory, but may be scaled to none. */}}
{{- define "rollcall.roleAtHand" -}}
{{- if eq .Values.mode "single" }}{{ if .Values.single.replicas }}all{{ end }}
{{- else if and .Values.worker.replicas (not (and .Values.worker.keda.enabled (eq (int .Values.worker.keda.minReplicas) 0))) }}worker
{{- else if .Values.scheduler.replicas }}scheduler
{{- else if and .Values.server.replicas (include "rollcall.listens" .) }}server
{{- end }}
{{- end }}

{{/* The roles that the values scale to none, as "scheduler, worker". */}}
{{- define "rollcall.suspended" -}}
{{- $roles := ternary (list "single") (list "scheduler" "worker") (eq .Values.mode "single") }}
{{- if and (eq .Values.mode "distributed") (include "rollcall.listens" .) }}{{ $roles = append $roles "server" }}{{ end }}
{{- $none := list }}
{{- range $roles }}{{ if not (get $.Values .).replicas }}{{ $none = append $none . }}{{ end }}{{ end }}
{{- join ", " $none }}
{{- end }}

{{/*
The most connections to PostgreSQL that the pods open, and how they add up, as "70 (7 pods, each 10)". With as many pods as a scaler may
make, and those that an update starts before it ends others. What one adds by hand is not counted.
*/}}
{{- define "rollcall.connections" -}}
{{- $each := int (dig "workers" "storeConnections" 10 (default dict .Values.config)) }}
{{- $pods := 0 }}
{{- if eq .Values.mode "single" }}{{ $pods = int .Values.single.replicas }}
{{- else }}
{{- $surge := dig "rollingUpdate" "maxSurge" "25%" .Values.updateStrategy | toString }}
{{- range $role := ternary (list "scheduler" "worker" "server") (list "scheduler" "worker") (eq (include "rollcall.listens" .) "true") }}
{{- $values := get $.Values $role }}
{{- $count := int $values.replicas }}
{{- if and (eq $role "worker") $count }}
{{- range list $values.autoscaling $values.keda }}{{ if .enabled }}{{ $count = int .maxReplicas }}{{ end }}{{ end }}
{{- end }}
{{- $more := 0 }}
{{- if ne $.Values.updateStrategy.type "Recreate" }}
{{- $more = ternary (ceil (divf (mulf $count (trimSuffix "%" $surge | float64)) 100) | int) (int $surge) (hasSuffix "%" $surge) }}
{{- end }}
{{- if $count }}{{ $pods = add $pods $count $more }}{{ end }}
{{- end }}
{{- end }}
{{- printf "%d (%d pods, each %d)" (mul $pods $each) $pods $each }}
{{- end }}

{{/*
What a job does before the pods come: "migrate" reads the configuration and brings the store to this version's tables, "check"
reads the configuration alone. A SQLite store is on a volume that one pod at a time may open, so it migrates when that pod starts.
*/}}
{{- define "rollcall.before" -}}
{{- if .Values.migrations.job }}{{ ternary "migrate" "check" (eq (include "rollcall.onPostgres" .) "true") }}{{ end }}
{{- end }}

{{/* What makes an object part of that job: before the pods, and gone when it is done. Takes the weight. */}}
{{- define "rollcall.beforeHook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{- define "rollcall.claimName" -}}
{{- default (include "rollcall.fullname" .) .Values.persistence.existingClaim }}
{{- end }}

{{/* "true" when the pods listen. */}}
{{- define "rollcall.listens" -}}
{{- if (default dict .Values.config).server }}true{{ end }}
{{- end }}

{{- define "rollcall.port" -}}
{{- int (default 8080 .Values.config.server.port) }}
{{- end }}

{{/* The name of the port of the metrics: their own, or that of the API. */}}
{{- define "rollcall.metricsPort" -}}
{{- ternary "metrics" "http" (not (empty (default dict (default dict .Values.config).server).metricsPort)) }}
{{- end }}

{{/* The component that answers the API. */}}
{{- define "rollcall.apiComponent" -}}
{{- ternary "all" "server" (eq .Values.mode "single") }}
{{- end }}

{{/* The ports of all addresses in the configuration, and those that its store and Redis need, as "443,5432". */}}
{{- define "rollcall.openPorts" -}}
{{- $ports := list "443" }}
{{- $defaults := dict "http" "80" "https" "443" "postgres" "5432" "postgresql" "5432" "redis" "6379" "rediss" "6379" "mysql" "3306" "mariadb" "3306" "smtp" "587" "smtps" "465" }}
{{- $config := default dict .Values.config }}
{{- /* A reference may hold characters that end an address, such as the slash of ${file:secrets/x}. */}}
{{- $text := regexReplaceAll "\\$\\{[^{}]*\\}" (include "rollcall.config" .) "x" }}
{{- $text = printf "%s %s %s %s" $text .Values.proxy.http .Values.proxy.https (tpl .Values.telemetry.endpoint .) }}
{{- range regexFindAll "[a-z]+://[^\\s/?#\"']+" $text -1 }}
{{- $scheme := regexFind "^[a-z]+" . }}
{{- if hasKey $defaults $scheme }}
{{- range splitList "," (last (splitList "@" (regexReplaceAll "^[a-z]+://" . ""))) }}
{{- $ports = append $ports (default (get $defaults $scheme) (trimPrefix ":" (regexFind ":[0-9]+$" .))) }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "rollcall.onPostgres" . }}
{{- if or .Values.existingConfigMap (hasPrefix "${" (include "rollcall.store" .)) }}{{ $ports = append $ports "5432" }}{{ end }}
{{- end }}
{{- if eq .Values.mode "distributed" }}
{{- $redis := default dict $config.redis }}
{{- $url := "" }}
{{- if kindIs "map" $redis }}
{{- $url = toString (default "" $redis.url) }}
{{- range concat (default list $redis.sentinels) (default list $redis.cluster) }}
{{- $ports = append $ports (default "6379" (trimPrefix ":" (regexFind ":[0-9]+$" (tpl (toString .) $)))) }}
{{- end }}
{{- /* A sentinel tells the address of Redis itself, which is not in the configuration. */}}
{{- if $redis.sentinels }}{{ $ports = append $ports "6379" }}{{ end }}
{{- else }}
{{- $url = toString $redis }}
{{- end }}
{{- if or .Values.existingConfigMap (hasPrefix "${" $url) }}{{ $ports = append $ports "6379" }}{{ end }}
{{- end }}
{{- range $config.syncs }}
{{- $source := default dict .source }}
{{- with $source.sftp }}{{ $ports = append $ports (toString (int (default 22 .port))) }}{{ end }}
{{- end }}
{{- join "," (uniq $ports) }}
{{- end }}

{{/* Where pods may go when there is a network policy. */}}
{{- define "rollcall.egress" -}}
{{- $rules := list }}
{{- if .Values.networkPolicy.openPorts }}
{{- /* 5353 is the port of the DNS pods of OpenShift. A DNS cache on a node is in no namespace, so DNS has no peers here. */}}
{{- $ports := list }}
{{- range list 53 5353 }}
{{- $ports = concat $ports (list (dict "port" . "protocol" "UDP") (dict "port" . "protocol" "TCP")) }}
{{- end }}
{{- range splitList "," (include "rollcall.openPorts" .) }}
{{- $ports = append $ports (dict "port" (int .) "protocol" "TCP") }}
{{- end }}
{{- $rules = append $rules (dict "ports" $ports) }}
{{- end }}
{{- toYaml (concat $rules .Values.networkPolicy.egress) }}
{{- end }}

{{/* What the schema cannot say. */}}
{{- define "rollcall.validate" -}}
{{- $config := default dict .Values.config }}
{{- if and (not .Values.existingConfigMap) (not $config.connections) }}
{{- fail "\n\nconfig.connections is empty: put your rollcall.yaml under config (docs/kubernetes.md has an example), or name a ConfigMap that holds it with existingConfigMap." }}
{{- end }}
{{- with $config.server }}
{{- if has (default "127.0.0.1" .host) (list "127.0.0.1" "localhost" "::1") }}
{{- fail "\n\nconfig.server.host is this pod alone, so Kubernetes could not ask for its health: set it to 0.0.0.0, or config.server to null." }}
{{- end }}
{{- end }}
{{- if and (not $config.server) (or .Values.ingress.enabled .Values.httpRoute.enabled .Values.serviceMonitor.enabled .Values.podMonitor.enabled) }}
{{- fail "\n\ningress, httpRoute, serviceMonitor and podMonitor need pods that listen: set config.server, such as { host: 0.0.0.0, port: 8080 }." }}
{{- end }}
{{- if and (or .Values.serviceMonitor.enabled .Values.podMonitor.enabled) (eq (include "rollcall.metricsPort" .) "http") (ne (default "" (default dict $config.server).metrics) "open") }}
{{- fail "\n\nserviceMonitor and podMonitor send no token, and the port of the API asks for one: set config.server.metricsPort, such as 9464, or config.server.metrics to open." }}
{{- end }}
{{- if and .Values.existingConfigMap $config.connections }}
{{- fail "\n\nconfig and existingConfigMap are both given: use one of them." }}
{{- end }}
{{- range $name, $connection := $config.connections }}
{{- $url := tpl (toString $connection.baseUrl) $ }}
{{- if not (or (hasPrefix "https://" $url) (hasPrefix "http://" $url) (hasPrefix "${" $url)) }}
{{- fail (printf "\n\nconfig.connections.%s.baseUrl is no address of a platform: write it whole, such as https://platform.example.com." $name) }}
{{- end }}
{{- end }}
{{- include "rollcall.refuseSecrets" . }}
{{- if not .Values.existingConfigMap }}
{{- if eq .Values.mode "distributed" }}
{{- if not $config.redis }}
{{- fail "\n\nmode: distributed needs Redis, which moves work between the pods: set config.redis, such as redis://redis:6379, or use mode: single." }}
{{- end }}
{{- $store := include "rollcall.store" . }}
{{- if not (or (hasPrefix "postgres" $store) (hasPrefix "${" $store)) }}
{{- fail "\n\nmode: distributed needs PostgreSQL, because several pods share the store: set config.store, such as postgres://rollcall:${env:DATABASE_PASSWORD}@db/rollcall, or use mode: single." }}
{{- end }}
{{- else if $config.redis }}
{{- fail "\n\nconfig.redis is set, but mode: single has nobody to share work with: use mode: distributed, or take config.redis out." }}
{{- end }}
{{- if not .Values.envFrom }}
{{- $known := keys (default dict .Values.secretEnv) }}
{{- range .Values.extraEnv }}{{ $known = append $known .name }}{{ end }}
{{- range regexFindAll "\\$?\\$\\{env:[^{}]+\\}" (include "rollcall.config" .) -1 }}
{{- $name := trimSuffix "}" (trimPrefix "${env:" .) }}
{{- if and (not (hasPrefix "$$" .)) (not (has $name $known)) }}
{{- fail (printf "\n\nconfig uses ${env:%s}, but not every pod would have it: add it to secretEnv, such as %s: { secret: NAME-OF-SECRET, key: KEY }, or to extraEnv." $name $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := dict "HTTP_PROXY" .Values.proxy.http "HTTPS_PROXY" .Values.proxy.https "NO_PROXY" .Values.proxy.noProxy }}
{{- if and $value (hasKey (default dict $.Values.secretEnv) $name) }}
{{- fail (printf "\n\nproxy and secretEnv both set %s: use one of them." $name) }}
{{- end }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled }}
{{- fail "\n\nserviceMonitor and podMonitor are both enabled, and each pod would be scraped twice: enable one of them." }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
{{- fail "\n\ningress is enabled, but ingress.hosts is empty: name the host of the API and the page, such as [{ host: rollcall.example.com, tlsSecret: rollcall-tls }]." }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
{{- fail "\n\nhttpRoute is enabled, but httpRoute.parentRefs is empty: name the Gateway that serves it, such as [{ name: public, namespace: gateways }]." }}
{{- end }}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.openPorts) (not .Values.networkPolicy.egress) }}
{{- fail "\n\nnetworkPolicy.openPorts is false and networkPolicy.egress is empty: no pod would reach DNS, the platform or the store. List what pods reach in networkPolicy.egress, or set networkPolicy.openPorts to true." }}
{{- end }}
{{- range $way := list "autoscaling" "keda" }}
{{- with get $.Values.worker $way }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail (printf "\n\nworker.%s.minReplicas is more than maxReplicas: turn them round." $way) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.worker.autoscaling.enabled .Values.worker.keda.enabled }}
{{- fail "\n\nworker.autoscaling and worker.keda are both enabled, and would fight over the replicas: enable one of them." }}
{{- end }}
{{- if and .Values.postgres.maxConnections (include "rollcall.onPostgres" .) }}
{{- $connections := include "rollcall.connections" . }}
{{- if gt (regexFind "^[0-9]+" $connections | int) (int .Values.postgres.maxConnections) }}
{{- fail (printf "\n\nThe pods may open %s connections to PostgreSQL during an update, but postgres.maxConnections is %d: lower config.workers.storeConnections, replicas or maxReplicas, or raise max_connections of the server and then this value." $connections (int .Values.postgres.maxConnections)) }}
{{- end }}
{{- end }}
{{- if and .Values.worker.keda.enabled (not .Values.worker.keda.triggers) }}
{{- fail "\n\nworker.keda is enabled, but worker.keda.triggers is empty: KEDA would not know when to scale. docs/kubernetes.md has a trigger." }}
{{- end }}
{{- end }}
