import { openAuthority } from '../kit/http/authority.ts';
import { defineKind } from '../kit/kind.ts';
import { derivedInputs } from './derive-status.ts';
import { fillPreset } from './fill-preset.ts';
import { presets } from './presets/index.ts';
import { readRest } from './read.ts';
import { RestConfig } from './schema.ts';
import { restStarter } from './starter.ts';

/** Any JSON API over HTTP that lists people, by configuration. Presets configure some HR systems. */
export const rest = defineKind({
  kind: 'rest',
  title: 'any JSON API over HTTP, by configuration; presets for Rippling, Merge, Deel, Factorial, Humaans and UKG',
  capabilities: { delta: true, point: true, terminated: 'configurable', future: 'configurable' },
  config: RestConfig,
  starters: [restStarter, ...presets.map(({ name, starter }) => ({ name, ...starter }))],
  capabilitiesOf: ({ delta, point, holds }) => ({
    delta: delta !== undefined,
    point: Object.keys(point).length > 0,
    ...holds,
  }),
  fill: fillPreset,
  open(config, base) {
    const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
    return {
      derives: derivedInputs(config),
      read: (request, io) => readRest(config, authority, request, io),
    };
  },
});
