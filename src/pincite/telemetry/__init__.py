"""Telemetry: OpenTelemetry spans and JSON logs."""
