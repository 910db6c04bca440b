"""What goes to those who watch a process: spans for OpenTelemetry, and lines of logs."""
