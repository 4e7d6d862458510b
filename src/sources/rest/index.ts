import { openAuthority } from '../kit/http/authority.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { RestConfig } from './config.ts';
import { fillPreset, presetFile, presetNames } from './presets.ts';
import { readRest } from './read.ts';
import { derivedInputs } from './status.ts';

/** Any JSON API over HTTP that lists people, by configuration. Presets configure some HR systems. */
export const rest = defineKind({
  kind: 'rest',
  title: 'any JSON API over HTTP, by configuration; presets for Rippling, Merge, Deel, Factorial, Humaans and UKG',
  capabilities: { delta: true, point: true, terminated: 'configurable', future: 'configurable' },
  config: RestConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', ...presetNames.map(presetFile)],
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
      looksUp: (field) => Object.hasOwn(config.point, field),
      read: readOverHttp({ ...config, url: config.baseUrl }, authority, (by) => readRest(config, by)),
    };
  },
});
