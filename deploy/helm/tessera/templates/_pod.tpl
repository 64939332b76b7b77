{{- /* What the pods that serve and the one that migrates have in common. */ -}}
{{- define "tessera.pod" -}}
# Kubernetes would set TESSERA_PORT=tcp://… and more for a Service of this name: settings that stop the start.
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  {{- with .Values.podSecurityContext }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "tessera.container" -}}
image: {{ include "tessera.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
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
- name: TESSERA_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.existingSecret | default .Values.existingSecret }}
      key: {{ .Values.database.key }}
{{- end -}}

{{- /* Numbers of a values file are floating: 7776000 would be written 7.776e+06. */ -}}
{{- define "tessera.settingValue" -}}
{{- if kindIs "float64" . -}}
{{- printf "%.0f" . -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{- define "tessera.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .Values.database.existingCaSecret }}
- name: database-ca
  mountPath: /etc/tessera/database
  readOnly: true
{{- end }}
{{- end -}}

{{- define "tessera.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .Values.database.existingCaSecret }}
- name: database-ca
  secret:
    secretName: {{ .Values.database.existingCaSecret }}
    items:
      - key: {{ .Values.database.caKey }}
        path: ca.crt
{{- end }}
{{- end -}}
