/**
 * Returns whether the environment asks to send traces: an endpoint is set (`OTEL_EXPORTER_OTLP_ENDPOINT`, or the one of
 * traces), and neither `OTEL_SDK_DISABLED=true` nor `OTEL_TRACES_EXPORTER=none` turns it off. Off by default, unlike the
 * SDK, which would send to this machine.
 */
export function isTelemetryOn(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  if (env.OTEL_TRACES_EXPORTER?.trim() === 'none') return false;
  return [env.OTEL_EXPORTER_OTLP_ENDPOINT, env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some(
    (endpoint) => endpoint !== undefined && endpoint.trim() !== '',
  );
}
