/** The presets, as the configuration calls them. */
export const presetNames = ['rippling', 'merge', 'deel', 'factorial', 'humaans', 'ukg'] as const;
export type PresetName = (typeof presetNames)[number];
