{{- /* What values.schema.json can't say, or not in a sentence. */ -}}
{{- define "tessera.check" -}}
{{- include "tessera.checkRenamed" . -}}
{{- include "tessera.checkIssuer" . -}}
{{- include "tessera.checkElsewhere" . -}}
{{- include "tessera.checkVariables" . -}}
{{- include "tessera.checkValues" . -}}
{{- with .Values -}}
{{- include "tessera.checkSecret" (list $ "existingSecret" .existingSecret "TESSERA_SECRET") -}}
{{- include "tessera.checkSecret" (list $ "database" (.database.existingSecret | default .existingSecret) .database.key) -}}
{{- include "tessera.checkSecret" (list $ "database.existingCaSecret" .database.existingCaSecret .database.caKey) -}}
{{- include "tessera.checkSecret" (list $ "mail" .mail.existingSecret .mail.key) -}}
{{- include "tessera.checkSecret" (list $ "declared" .declared.existingSecret .declared.key) -}}
{{- include "tessera.checkSecret" (list $ "declared" .declared.existingConfigMap .declared.key "ConfigMap") -}}
{{- end -}}
{{- end -}}

{{- define "tessera.checkValues" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository: name the image in a registry that the nodes reach, or one that was loaded onto them." -}}
{{- end -}}
{{- if eq .Values.image.tag "latest" -}}
{{- fail "image.tag: latest is another image tomorrow; name a version." -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled .Values.replicas -}}
{{- fail "replicas has no effect while autoscaling.enabled is true: set autoscaling.minReplicas, or turn autoscaling off." -}}
{{- end -}}
{{- if and .Values.mail.existingSecret (not .Values.settings.TESSERA_MAIL_FROM) -}}
{{- fail "mail.existingSecret needs settings.TESSERA_MAIL_FROM, the address that mails come from." -}}
{{- end -}}
{{- if eq (int .Values.metrics.port) 4000 -}}
{{- fail "metrics.port: 4000 is the port of the service; name another." -}}
{{- end -}}
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
{{- end -}}

{{- /* Secrets in plain text, and what is set twice. */ -}}
{{- define "tessera.checkVariables" -}}
{{- range $name, $value := .Values.settings -}}
{{- include "tessera.checkPlain" (list (printf "settings.%s" $name) (toString $value)) -}}
{{- end -}}
{{- range $index, $one := .Values.extraEnv -}}
{{- $place := printf "extraEnv[%d] (%s)" $index $one.name -}}
{{- if get $.Values.settings $one.name | toString -}}
{{- fail (printf "%s has a value in settings already: change it there, or make that empty." $place) -}}
{{- end -}}
{{- if and (hasPrefix "TESSERA_" $one.name) (hasKey $one "value") -}}
{{- fail (printf "%s is a setting of the service: put it into settings, or use valueFrom." $place) -}}
{{- end -}}
{{- if and (hasKey $one "value") (regexMatch "(?i)(SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|HEADERS)" $one.name) -}}
{{- fail (printf "%s looks like a secret: keep it in a Secret, and give it by valueFrom.secretKeyRef." $place) -}}
{{- end -}}
{{- include "tessera.checkPlain" (list $place (toString $one.value)) -}}
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
