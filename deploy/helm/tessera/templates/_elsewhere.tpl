{{- /* Settings that have a place of their own: values.schema.json knows them as `elsewhere`. */ -}}
{{- define "tessera.places" -}}
TESSERA_ISSUER: set issuer
TESSERA_HOST: the image listens at every address
TESSERA_PORT: the image listens at 4000, and service.port is the port of the Service
TESSERA_METRICS_PORT: set metrics.enabled and metrics.port
TESSERA_DECLARED: set declared.content, declared.existingSecret or declared.existingConfigMap
TESSERA_SECRET: keep it in the Secret that existingSecret names
TESSERA_SECRET_FILE: keep TESSERA_SECRET in the Secret that existingSecret names
TESSERA_SECRET_PREVIOUS: keep it in the Secret that existingSecret names
TESSERA_SECRET_PREVIOUS_FILE: keep TESSERA_SECRET_PREVIOUS in the Secret that existingSecret names
TESSERA_DATABASE_URL: keep it in the Secret that existingSecret or database.existingSecret names
TESSERA_DATABASE_URL_FILE: keep TESSERA_DATABASE_URL in the Secret that existingSecret or database.existingSecret names
TESSERA_MAIL_URL: keep it in the Secret that mail.existingSecret names
TESSERA_MAIL_URL_FILE: keep TESSERA_MAIL_URL in the Secret that mail.existingSecret names
{{- end -}}

{{- define "tessera.checkElsewhere" -}}
{{- $places := include "tessera.places" . | fromYaml -}}
{{- range $name, $place := $places -}}
{{- if hasKey $.Values.settings $name -}}
{{- fail (printf "%s does not belong in settings: %s." $name $place) -}}
{{- end -}}
{{- end -}}
{{- range $index, $one := .Values.extraEnv -}}
{{- /* The address of the mail server may come from anywhere but a plain value. */ -}}
{{- $isMail := and (hasPrefix "TESSERA_MAIL_URL" $one.name) (not (or (hasKey $one "value") $.Values.mail.existingSecret)) -}}
{{- if and (hasKey $places $one.name) (not $isMail) -}}
{{- fail (printf "%s does not belong in extraEnv[%d]: %s." $one.name $index (get $places $one.name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Names of 0.1.0. */ -}}
{{- define "tessera.checkRenamed" -}}
{{- if hasKey .Values.migrationJob "deadlineSeconds" -}}
{{- fail "migrationJob.deadlineSeconds is called migrationJob.activeDeadlineSeconds now." -}}
{{- end -}}
{{- if kindIs "bool" .Values.metrics.podMonitor -}}
{{- fail "metrics.podMonitor is called metrics.podMonitor.enabled now." -}}
{{- end -}}
{{- end -}}
