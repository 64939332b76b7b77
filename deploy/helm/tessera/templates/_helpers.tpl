{{- define "tessera.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tessera.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tessera.labels" -}}
{{ include "tessera.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tessera.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* At the most. */ -}}
{{- define "tessera.replicas" -}}
{{- ternary .Values.autoscaling.maxReplicas (.Values.replicas | default 2) .Values.autoscaling.enabled -}}
{{- end -}}

{{- /* At the most: one replica starts and one ends while they are replaced, and commands and the migration job need five. */ -}}
{{- define "tessera.connections" -}}
{{- add (mul (add (include "tessera.replicas" .) 2) (add1 (.Values.settings.TESSERA_DATABASE_POOL | default 10 | int))) 5 -}}
{{- end -}}

{{- define "tessera.hasDeclared" -}}
{{- with .Values.declared }}{{ if or .content .existingSecret .existingConfigMap }}yes{{ end }}{{ end -}}
{{- end -}}

{{- /* What the declared file is now: where `helm template` asks no cluster, nothing is known of one that is there. */ -}}
{{- define "tessera.declaredSum" -}}
{{- with .Values.declared -}}
{{- if .content -}}
{{- .content | sha256sum -}}
{{- else if .existingSecret -}}
{{- index (lookup "v1" "Secret" $.Release.Namespace .existingSecret | default dict) "data" | toJson | sha256sum -}}
{{- else if .existingConfigMap -}}
{{- index (lookup "v1" "ConfigMap" $.Release.Namespace .existingConfigMap | default dict) "data" | toJson | sha256sum -}}
{{- end -}}
{{- end -}}
{{- end -}}
