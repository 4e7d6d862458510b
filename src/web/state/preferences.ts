import { en, type Texts } from '../texts/en.ts';
import { es } from '../texts/es.ts';

export type Language = 'en' | 'es';
export type Theme = 'system' | 'light' | 'dark';

export interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
  readonly hasKeys: boolean;
}

export const languages: Readonly<Record<Language, { readonly name: string; readonly texts: Texts }>> = {
  en: { name: 'English', texts: en },
  es: { name: 'Español', texts: es },
};

export const themes: readonly Theme[] = ['system', 'light', 'dark'];

export function textsOf(language: Language): Texts {
  return languages[language].texts;
}

/** Reads what the user chose before, or what the browser prefers. */
export function readPreferences(storage: Storage, preferred: readonly string[]): Preferences {
  const chosen = storage.getItem('rollcall.language');
  const wanted = [chosen, ...preferred].map((tag) => tag?.slice(0, 2));
  const language = wanted.find((tag): tag is Language => tag === 'en' || tag === 'es') ?? 'en';
  const theme = themes.find((one) => one === storage.getItem('rollcall.theme')) ?? 'system';
  return { language, theme, hasKeys: storage.getItem('rollcall.keys') !== 'off' };
}
