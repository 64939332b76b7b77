{{- /* What values.schema.json can't say, or not in a sentence. */ -}}
{{- define "tessera.check" -}}
{{- with .Values.declared -}}
{{- if gt (len (compact (list .content .existingSecret .existingConfigMap))) 1 -}}
{{- fail "declared has several sources: give one of content, existingSecret and existingConfigMap." -}}
{{- end -}}
{{- end -}}
{{- with .Values.autoscaling -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas (%d) is above autoscaling.maxReplicas (%d)." (int .minReplicas) (int .maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metrics.podMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.podMonitor.enabled needs metrics.enabled: there is no port to ask otherwise." -}}
{{- end -}}
{{- range $name, $value := .Values.settings -}}
{{- include "tessera.checkPlain" (list (printf "settings.%s" $name) (toString $value)) -}}
{{- end -}}
{{- range $index, $one := .Values.extraEnv -}}
{{- $place := printf "extraEnv[%d] (%s)" $index $one.name -}}
{{- if and (hasPrefix "TESSERA_" $one.name) (hasKey $one "value") -}}
{{- fail (printf "%s is a setting of the service: put it into settings, or use valueFrom." $place) -}}
{{- end -}}
{{- if and (hasKey $one "value") (regexMatch "(?i)(SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|HEADERS)" $one.name) -}}
{{- fail (printf "%s looks like a secret: keep it in a Secret, and give it by valueFrom.secretKeyRef." $place) -}}
{{- end -}}
{{- include "tessera.checkPlain" (list $place (toString $one.value)) -}}
{{- end -}}
{{- end -}}

{{- define "tessera.checkPlain" -}}
{{- if regexMatch "://[^/@]*:[^/@]+@" (index . 1) -}}
{{- fail (printf "%s holds a password: keep it in a Secret, and name that (existingSecret, mail.existingSecret, extraEnv with valueFrom)." (index . 0)) -}}
{{- end -}}
{{- end -}}
