{{- define "tessera.checkIssuer" -}}
{{- $issuer := .Values.issuer -}}
{{- $refused := printf "issuer: '%s' can't be" $issuer -}}
{{- if regexMatch (include "tessera.ownPortForm" .) $issuer -}}
{{- fail (printf "%s served: leave the port out, because https and http mean it anyway." $refused) -}}
{{- end -}}
{{- if not (regexMatch (include "tessera.issuerForm" .) $issuer) -}}
{{- fail (printf "%s served: it is https://NAME in small letters, with a port or path if you like and without a slash at the end; http is for localhost alone." $refused) -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not (regexMatch (include "tessera.ingressForm" .) $issuer)) -}}
{{- fail (printf "%s that of an Ingress: ingress.enabled needs an issuer with https and a name for its host." $refused) -}}
{{- end -}}
{{- end -}}

{{- /* What an issuer looks like, a pattern on each line: deploy-values.test.ts reads them where no Helm is. */ -}}
{{- define "tessera.issuerForm" -}}^(https://({{ include "tessera.nameForm" . }}|{{ include "tessera.addressForm" . }})|http://(localhost|127\.0\.0\.1))(:{{ include "tessera.portForm" . }})?(/[A-Za-z0-9_~.-]*[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)*${{- end -}}
{{- define "tessera.ingressForm" -}}^https://{{ include "tessera.nameForm" . }}(:[0-9]+)?(/.*)?${{- end -}}
{{- define "tessera.ownPortForm" -}}^(https://[^/]*:443|http://[^/]*:80)(/|$){{- end -}}
{{- define "tessera.nameForm" -}}([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z]([-a-z0-9]{0,61}[a-z0-9])?{{- end -}}
{{- define "tessera.addressForm" -}}({{ include "tessera.byteForm" . }}\.){3}{{ include "tessera.byteForm" . }}{{- end -}}
{{- define "tessera.byteForm" -}}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]){{- end -}}
{{- define "tessera.portForm" -}}([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]){{- end -}}
