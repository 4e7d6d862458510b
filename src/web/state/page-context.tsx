import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { formatDuration } from '../../core/run/formats.ts';
import type { Api } from '../api/client.ts';
import { en, type Texts } from '../texts/en.ts';
import { es } from '../texts/es.ts';
import { classWord } from '../texts/plural.ts';

export type Language = 'en' | 'es';
type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
  /** Whether single keys are shortcuts. */
  readonly hasKeys: boolean;
}

export const languages: Readonly<Record<Language, { readonly name: string; readonly texts: Texts }>> = {
  en: { name: 'English', texts: en },
  es: { name: 'Español', texts: es },
};

export const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** Reads what the user chose before, or what the browser prefers. */
export function readPreferences(storage: Storage, preferred: readonly string[]): Preferences {
  const chosen = storage.getItem('rollcall.language');
  const wanted = [chosen, ...preferred].map((tag) => tag?.slice(0, 2));
  const language = wanted.find((tag): tag is Language => tag === 'en' || tag === 'es') ?? 'en';
  const theme = themes.find((one) => one === storage.getItem('rollcall.theme')) ?? 'system';
  return { language, theme, hasKeys: storage.getItem('rollcall.hasKeys') !== 'false' };
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Numbers, instants and durations in the language of the user and the zone of the browser. */
function createFormats(language: Language, t: Texts) {
  const tag = language === 'es' ? 'es-419' : 'en-GB';
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const numbers = new Intl.NumberFormat(language === 'es' ? 'es-MX' : 'en-US');
  const short = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
  const long = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' });
  const full = new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long' });
  const days = new Intl.DateTimeFormat(tag, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  const offset = new Intl.DateTimeFormat(tag, { timeZoneName: 'shortOffset' });

  const names = { d: t.units.day, h: t.units.hour, min: t.units.minute, s: t.units.second };
  const duration = (ms: number): string => {
    if (ms >= secondMs && ms < 10 * secondMs) return `${numbers.format(Math.round(ms / 100) / 10)} ${t.units.second}`;
    return formatDuration(ms, (value, unit) => `${numbers.format(value)} ${names[unit]}`);
  };
  /** One unit, rounded down: a list of ages reads faster so. */
  const coarse = (ms: number): string => {
    if (ms < minuteMs) return `${Math.max(1, Math.floor(ms / secondMs))} ${t.units.second}`;
    if (ms < hourMs) return `${Math.floor(ms / minuteMs)} ${t.units.minute}`;
    if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)} ${t.units.hour}`;
    return `${numbers.format(Math.floor(ms / dayMs))} ${t.units.day}`;
  };

  return {
    number: (value: number): string => numbers.format(value),
    /** `23 Nov, 14:05:09` with the year when it is another one. */
    instant: (iso: string, now: number): string => {
      const at = new Date(iso);
      return (at.getFullYear() === new Date(now).getFullYear() ? short : long).format(at);
    },
    /** With weekday, seconds and zone, for tooltips. */
    fullInstant: (iso: string): string => full.format(new Date(iso)),
    /** `4 min ago`, `in 2 h`. */
    relative: (iso: string, now: number): string => {
      const ms = Date.parse(iso) - now;
      if (Math.abs(ms) < 5 * secondMs) return t.time.now;
      return ms < 0 ? t.time.ago(coarse(-ms)) : t.time.in(coarse(ms));
    },
    /** `2 h 5 min`, in the two largest units. */
    duration,
    day: (isoDay: string): string => days.format(new Date(`${isoDay}T00:00:00Z`)),
    /** The zone of all times: `Europe/Madrid (GMT+1)`. */
    zone: (): string => {
      const name = offset.formatToParts(new Date(0)).find(({ type }) => type === 'timeZoneName')?.value;
      return name === undefined ? timeZone : `${timeZone.replaceAll('_', ' ')} (${name})`;
    },
    timeZone,
  };
}

/** What every component of the page may use. */
export interface PageContext extends Preferences {
  readonly api: Api;
  readonly t: Texts;
  readonly f: ReturnType<typeof createFormats>;
  /** Changes what the user prefers, and keeps it in the browser. */
  prefer(changes: Partial<Preferences>): void;
}

const Context = createContext<PageContext | undefined>(undefined);

interface Props {
  readonly api: Api;
  readonly storage: Storage;
  readonly first: Preferences;
  readonly children: ReactNode;
}

export function PageProvider({ api, storage, first, children }: Props) {
  const [preferences, setPreferences] = useState(first);
  const { language, theme } = preferences;
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset.theme = theme;
    for (const [name, value] of Object.entries(preferences)) storage.setItem(`rollcall.${name}`, String(value));
  }, [preferences, language, theme, storage]);
  const { t, f } = useMemo(() => {
    const { texts } = languages[language];
    return { t: texts, f: createFormats(language, texts) };
  }, [language]);
  const page = useMemo<PageContext>(() => {
    const prefer = (changes: Partial<Preferences>): void => setPreferences((before) => ({ ...before, ...changes }));
    return { api, t, f, ...preferences, prefer };
  }, [api, t, f, preferences]);
  return <Context value={page}>{children}</Context>;
}

export function usePage(): PageContext {
  const page = useContext(Context);
  if (page === undefined) throw new Error('usePage needs PageProvider');
  return page;
}

/** `1 disable`, `2 disables`. */
export function classCount({ t, f }: Pick<PageContext, 't' | 'f'>, name: string, count: number): string {
  return `${f.number(count)} ${classWord(t.words.classes, name, count)}`;
}
