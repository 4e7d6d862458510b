{{/*
Refuses secrets in plain text, each by its key: they would be in a ConfigMap, and in the history of the release. Looks at the
configuration as it is after templates, because a template can bring a secret too. Never says the value.
*/}}
{{- define "rollcall.refuseSecrets" -}}
{{- $config := ternary (default dict .Values.config) (include "rollcall.config" . | fromYaml) (ne .Values.existingConfigMap "") }}
{{- $found := dict "plain" list "env" list }}
{{- include "rollcall.findSecrets" (dict "at" "config" "value" $config "found" $found) }}
{{- range $key, $value := .Values.proxy }}
{{- include "rollcall.findSecrets" (dict "at" (printf "proxy.%s" $key) "value" $value "found" $found) }}
{{- end }}
{{- range include "rollcall.extraEnv" . | fromYamlArray }}
{{- /* Kubernetes resolves $(NAME), as the program does ${env:NAME}. Headers of OpenTelemetry hold the key of the receiver. */}}
{{- $value := regexReplaceAll "\\$\\((\\w+)\\)" (toString (default "" .value)) "$${env:${1}}" }}
{{- include "rollcall.findSecrets" (dict "at" "extraEnv" "value" (dict .name $value) "found" $found "secret" (or (has .name $found.env) (hasSuffix "_HEADERS" .name))) }}
{{- end }}
{{- with $found.plain }}
{{- fail (printf "\n\nThese values hold a secret in plain text, which would stay in a ConfigMap and in the history of the release:\n  %s\nPut each secret into a Secret (kubectl create secret generic rollcall --from-file=KEY=FILE), name it in secretEnv, such as\n  ACME_TOKEN: { secret: rollcall, key: KEY }\nand write ${env:ACME_TOKEN} in its place. docs/kubernetes.md, \"Secrets\", has more." (join "\n  " .)) }}
{{- end }}
{{- end }}

{{/*
Takes { at, value, found }, and secret: whether the key says that the value is one. Adds the place of each plain secret to
found.plain, and the variables that secrets come from to found.env. A number or true can be a secret too.
*/}}
{{- define "rollcall.findSecrets" -}}
{{- $at := .at }}
{{- $found := .found }}
{{- if kindIs "map" .value }}
{{- $isBasic := eq (toString .value.kind) "basic" }}
{{- $isHook := has (toString .value.kind) (list "slack" "teams") }}
{{- /* With basic, some systems take a key as the name, and any password. */}}
{{- $isNameSecret := and $isBasic (include "rollcall.isReference" .value.username) }}
{{- $isSecret := .secret }}
{{- range $key, $value := .value }}
{{- $isNamed := regexMatch "(?i)(password|passphrase|secret|token|api[-_]?key|access[-_]?key|(private|encryption|routing)[-_]?keys?|authorization|cookie)$" $key }}
{{- $isFree := or (and $isNameSecret (eq $key "password")) (eq $key "rolesToken") }}
{{- /* Keys of a mapping are fields of people. */}}
{{- if ne $key "mapping" }}
{{- $secret := and (not $isFree) (or $isSecret $isNamed (and $isHook (eq $key "url")) (and (eq $key "headers") (hasSuffix ".auth" $at))) }}
{{- include "rollcall.findSecrets" (dict "at" (printf "%s.%s" $at $key) "value" $value "found" $found "secret" $secret) }}
{{- end }}
{{- end }}
{{- else if kindIs "slice" .value }}
{{- $isSecret := .secret }}
{{- range $i, $value := .value }}
{{- include "rollcall.findSecrets" (dict "at" (printf "%s[%d]" $at $i) "value" $value "found" $found "secret" $isSecret) }}
{{- end }}
{{- else if not (kindIs "invalid" .value) }}
{{- $text := toString .value }}
{{- $bare := regexReplaceAll "\\$?\\$\\{(env|file):[^{}]*\\}" $text "" }}
{{- $holds := or (contains "PRIVATE KEY-----" $text) (regexMatch "://[^/?#@\\s]*:[^/?#@\\s]+@|[?&](password|token|secret|sig|api[-_]?key)=[^&\\s]" $bare) }}
{{- $isPlain := and .secret (ne $text "") (not (include "rollcall.isReference" $text)) (not (regexMatch "^\\{\\w+\\}$" $text)) }}
{{- if or $holds $isPlain }}
{{- $_ := set $found "plain" (append $found.plain $at) }}
{{- else if or .secret (contains "://" $text) }}
{{- range regexFindAll "\\$\\{env:[^{}]+\\}" $text -1 }}
{{- $_ := set $found "env" (append $found.env (trimSuffix "}" (trimPrefix "${env:" .))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* "true" for a text with a reference that the program resolves. `$${` is a plain text that begins with `${`. */}}
{{- define "rollcall.isReference" -}}
{{- if regexMatch "(^|[^$])\\$\\{(env|file):" (toString .) }}true{{ end }}
{{- end }}
