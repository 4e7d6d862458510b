/** Names of the presets in the configuration. */
export const presetNames = ['rippling', 'merge', 'deel', 'factorial', 'humaans', 'ukg'] as const;
export type PresetName = (typeof presetNames)[number];
