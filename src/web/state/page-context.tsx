import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Api } from '../api/client.ts';
import type { Texts } from '../texts/en.ts';
import { createFormats, type Formats } from './formats.ts';
import { type Language, type Preferences, type Theme, textsOf } from './preferences.ts';

/** What every component of the page may use. */
export interface PageContext {
  readonly api: Api;
  readonly t: Texts;
  readonly f: Formats;
  readonly language: Language;
  readonly theme: Theme;
  setLanguage(language: Language): void;
  setTheme(theme: Theme): void;
  /** Whether single keys are shortcuts. */
  readonly hasKeys: boolean;
  setKeys(hasKeys: boolean): void;
}

const Context = createContext<PageContext | undefined>(undefined);

interface Props {
  readonly api: Api;
  readonly storage: Storage;
  readonly first: Preferences;
  readonly children: ReactNode;
}

export function PageProvider({ api, storage, first, children }: Props) {
  const [language, setLanguage] = useState(first.language);
  const [theme, setTheme] = useState(first.theme);
  const [hasKeys, setKeys] = useState(first.hasKeys);
  useEffect(() => storage.setItem('rollcall.keys', hasKeys ? 'on' : 'off'), [hasKeys, storage]);
  useEffect(() => {
    document.documentElement.lang = language;
    storage.setItem('rollcall.language', language);
  }, [language, storage]);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    storage.setItem('rollcall.theme', theme);
  }, [theme, storage]);
  const page = useMemo<PageContext>(() => {
    const t = textsOf(language);
    return { api, t, f: createFormats(language, t), language, theme, hasKeys, setLanguage, setTheme, setKeys };
  }, [api, language, theme, hasKeys]);
  return <Context value={page}>{children}</Context>;
}

export function usePage(): PageContext {
  const page = useContext(Context);
  if (page === undefined) throw new Error('usePage needs PageProvider');
  return page;
}
