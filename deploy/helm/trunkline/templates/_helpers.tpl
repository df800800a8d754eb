{{- define "trunkline.name" -}}
{{- if contains "trunkline" .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-trunkline" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "trunkline.selector" -}}
app.kubernetes.io/name: trunkline
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "trunkline.labels" -}}
{{ include "trunkline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "trunkline.secret" -}}
{{- if .Values.secret.existing -}}
{{ .Values.secret.existing }}
{{- else -}}
{{ include "trunkline.name" . }}
{{- end -}}
{{- end -}}

{{- define "trunkline.isPersistent" -}}
{{- if eq .Values.database.kind "sqlite" -}}
{{- if not (eq (toJson .Values.persistence.enabled) "false") -}}true{{- end -}}
{{- else if or .Values.persistence.enabled .Values.persistence.existingClaim -}}
true
{{- end -}}
{{- end -}}

{{- /* What cannot work is refused before anything is installed. */ -}}
{{- define "trunkline.check" -}}
{{- if and (eq .Values.database.kind "sqlite") (gt (int .Values.replicas) 1) -}}
{{- fail "SQLite is a file of one server: set replicas to 1, or database.kind to postgres." -}}
{{- end -}}
{{- if eq .Values.database.kind "postgres" -}}
{{- if not .Values.secret.existing -}}
{{- if not .Values.secret.values.DATABASE_URL -}}
{{- fail "PostgreSQL needs secret.values.DATABASE_URL (postgres://user:password@host/database), or secret.existing with it." -}}
{{- end -}}
{{- if not .Values.secret.values.SECRET_KEY -}}
{{- fail "PostgreSQL needs secret.values.SECRET_KEY, which `openssl rand -base64 32` makes, or secret.existing with it. Keep a copy: without it, the database is useless." -}}
{{- end -}}
{{- end -}}
{{- else if hasKey .Values.secret.values "DATABASE_URL" -}}
{{- fail "secret.values.DATABASE_URL is for database.kind postgres: set that, or leave it out." -}}
{{- end -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- if contains "sandbox" (default "sandbox" .Values.settings.GATEWAYS) -}}
{{- fail "The sandbox network is in the memory of one server: set replicas to 1, or settings.GATEWAYS without sandbox." -}}
{{- end -}}
{{- if not .Values.settings.S3_BUCKET -}}
{{- if not (and (include "trunkline.isPersistent" .) (or .Values.persistence.existingClaim (eq .Values.persistence.accessMode "ReadWriteMany"))) -}}
{{- fail "All replicas need the files of messages: set settings.S3_BUCKET, or persistence with accessMode ReadWriteMany or an existingClaim of that kind." -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
