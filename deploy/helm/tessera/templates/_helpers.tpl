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

{{- define "tessera.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tessera.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "tessera.secretEnvironment" -}}
- name: TESSERA_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: TESSERA_SECRET
- name: TESSERA_SECRET_PREVIOUS
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: TESSERA_SECRET_PREVIOUS
      optional: true
{{- end -}}

{{- define "tessera.databaseEnvironment" -}}
- name: TESSERA_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "existingSecret is missing: name a Secret with TESSERA_SECRET and TESSERA_DATABASE_URL." .Values.existingSecret }}
      key: TESSERA_DATABASE_URL
{{- end -}}

{{- /* Numbers of a values file are floating: 7776000 would be written 7.776e+06. */ -}}
{{- define "tessera.settingValue" -}}
{{- $name := index . 0 -}}
{{- $value := index . 1 -}}
{{- if has $name (list "TESSERA_ISSUER" "TESSERA_HOST" "TESSERA_PORT" "TESSERA_METRICS_PORT" "TESSERA_DECLARED" "TESSERA_DATABASE_URL" "TESSERA_DATABASE_URL_FILE" "TESSERA_SECRET" "TESSERA_SECRET_FILE" "TESSERA_SECRET_PREVIOUS" "TESSERA_SECRET_PREVIOUS_FILE") -}}
{{- fail (printf "settings.%s is the chart's own: use issuer, existingSecret, declared or metrics." $name) -}}
{{- end -}}
{{- if kindIs "float64" $value -}}
{{- printf "%.0f" $value -}}
{{- else -}}
{{- toString $value -}}
{{- end -}}
{{- end -}}
