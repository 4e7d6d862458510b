type Env = Readonly<Record<string, string | undefined>>;

/** Signals that OpenTelemetry sends. */
export type Signal = 'TRACES' | 'METRICS';

/**
 * Returns whether the environment asks to send the signal: an endpoint is set (`OTEL_EXPORTER_OTLP_ENDPOINT`, or the one
 * of the signal), and neither `OTEL_SDK_DISABLED=true` nor `OTEL_TRACES_EXPORTER=none` turns it off. Off by default,
 * unlike the SDK, which would send to this machine.
 */
export function isSent(signal: Signal, env: Env): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  if (env[`OTEL_${signal}_EXPORTER`]?.trim() === 'none') return false;
  return [env.OTEL_EXPORTER_OTLP_ENDPOINT, env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]].some(
    (endpoint) => endpoint !== undefined && endpoint.trim() !== '',
  );
}

export function isTelemetryOn(env: Env): boolean {
  return isSent('TRACES', env) || isSent('METRICS', env);
}
