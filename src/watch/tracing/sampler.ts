import { AlwaysOffSampler, AlwaysOnSampler, type Sampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';

/**
 * Returns the sampler of `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` for the root of a trace. It decides by the
 * trace id, so that every process decides the same about a run. Unknown names sample everything, as the SDK does.
 */
export function rootSampler(env: Readonly<Record<string, string | undefined>>): Sampler {
  const name = (env.OTEL_TRACES_SAMPLER ?? '').trim().replace(/^parentbased_/, '');
  if (name === 'always_off') return new AlwaysOffSampler();
  if (name !== 'traceidratio') return new AlwaysOnSampler();
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG ?? '1');
  return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
}
