{{- define "darkroom.name" -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "darkroom.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "darkroom.labels" -}}
{{ include "darkroom.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* A setting as text. Helm reads every number as one with a fraction, and would write 86400000 as 8.64e+07. */}}
{{- define "darkroom.text" -}}
{{- if kindIs "float64" . -}}
{{- if eq (floor .) . -}}{{ printf "%.0f" . }}{{- else -}}{{ printf "%v" . }}{{- end -}}
{{- else -}}
{{ . }}
{{- end -}}
{{- end -}}

{{/* Seconds: the delay and the requests in flight, and ten for what comes after them. */}}
{{- define "darkroom.grace" -}}
{{- $ms := add (int .Values.settings.DRAIN_DELAY_MS) (int .Values.settings.SHUTDOWN_TIMEOUT_MS) -}}
{{- add (div (add $ms 999) 1000) 10 -}}
{{- end -}}
