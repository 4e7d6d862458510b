import { installParts } from '../../scripts/install-parts.ts';

/** Installs what the tests of scripts and of the chart use. */
export function setup(): void {
  installParts('scripts');
}
