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
{{- $own := list "TESSERA_ISSUER" "TESSERA_HOST" "TESSERA_PORT" "TESSERA_METRICS_PORT" "TESSERA_DECLARED" "TESSERA_SECRET" "TESSERA_DATABASE_URL" -}}
{{- if or (has $one.name $own) (get $.Values.settings $one.name | toString) -}}
{{- fail (printf "%s is set by the chart already: change it there." $place) -}}
{{- end -}}
{{- if and (hasPrefix "TESSERA_" $one.name) (hasKey $one "value") -}}
{{- fail (printf "%s is a setting of the service: put it into settings, or use valueFrom." $place) -}}
{{- end -}}
{{- if and (hasKey $one "value") (regexMatch "(?i)(SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|HEADERS)" $one.name) -}}
{{- fail (printf "%s looks like a secret: keep it in a Secret, and give it by valueFrom.secretKeyRef." $place) -}}
{{- end -}}
{{- include "tessera.checkPlain" (list $place (toString $one.value)) -}}
{{- end -}}
{{- with .Values -}}
{{- include "tessera.checkSecret" (list $ "existingSecret" .existingSecret "TESSERA_SECRET") -}}
{{- include "tessera.checkSecret" (list $ "database" (.database.existingSecret | default .existingSecret) .database.key) -}}
{{- include "tessera.checkSecret" (list $ "database.existingCaSecret" .database.existingCaSecret .database.caKey) -}}
{{- include "tessera.checkSecret" (list $ "mail" .mail.existingSecret .mail.key) -}}
{{- include "tessera.checkSecret" (list $ "declared" .declared.existingSecret .declared.key) -}}
{{- include "tessera.checkSecret" (list $ "declared" .declared.existingConfigMap .declared.key "ConfigMap") -}}
{{- end -}}
{{- end -}}

{{- /* A pod would wait for it until the deadline. Where `helm template` asks no cluster, nothing is there, not even this ConfigMap. */ -}}
{{- define "tessera.checkSecret" -}}
{{- $namespace := (index . 0).Release.Namespace -}}
{{- $name := index . 2 -}}
{{- if and $name (lookup "v1" "ConfigMap" $namespace "kube-root-ca.crt") -}}
{{- $key := index . 3 -}}
{{- $kind := eq (len .) 5 | ternary "ConfigMap" "Secret" -}}
{{- if not (hasKey ((lookup "v1" $kind $namespace $name).data | default dict) $key) -}}
{{- fail (printf "%s: namespace %s has no %s %s with the key %s." (index . 1) $namespace $kind $name $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tessera.checkPlain" -}}
{{- if regexMatch "://[^/@]*:[^/@]+@" (index . 1) -}}
{{- fail (printf "%s holds a password: keep it in a Secret, and name that (existingSecret, mail.existingSecret, extraEnv with valueFrom)." (index . 0)) -}}
{{- end -}}
{{- end -}}
