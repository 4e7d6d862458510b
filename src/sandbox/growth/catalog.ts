import { badRequest } from '../call.ts';

/** A goal period: a calendar year, named by its number. */
export interface Period {
  readonly name: string;
  readonly startDate: string;
  readonly endDate: string;
}

/** Returns the named period, which must be the current or a future one; without a name, the current one. */
export function choosePeriod(name: string | null | undefined, now: number): Period {
  const current = new Date(now).getUTCFullYear();
  if (name === undefined || name === null || name === '') return periodNamed(String(current));
  if (!/^\d{4}$/.test(name) || Number(name) < current) {
    throw badRequest(`periodName must be the current period, ${current}, or a future one`);
  }
  return periodNamed(name);
}

export function periodNamed(name: string): Period {
  return { name, startDate: `${name}-01-01`, endDate: `${name}-12-31` };
}

/** Returns the dates of a goal, by default those of the period. Throws 400 for dates outside the period. */
export function fitDates(
  dates: { readonly startDate?: string | null | undefined; readonly endDate?: string | null | undefined },
  period: Period,
): { startDate: string; endDate: string } {
  const startDate = dates.startDate ?? period.startDate;
  const endDate = dates.endDate ?? period.endDate;
  for (const date of [startDate, endDate]) {
    if (date < period.startDate || date > period.endDate) {
      const range = `${period.startDate} to ${period.endDate}`;
      throw badRequest(`startDate and endDate must be inside the period ${range}`);
    }
  }
  if (startDate > endDate) throw badRequest('startDate must not be after endDate');
  return { startDate, endDate };
}

const topics = [
  { code: 'collaboration', color: '#2d7dd2', en: 'Collaboration', es: 'Colaboración', pt: 'Colaboração' },
  { code: 'ownership', color: '#97cc04', en: 'Ownership', es: 'Responsabilidad', pt: 'Responsabilidade' },
  { code: 'craft', color: '#f45d01', en: 'Craft', es: 'Oficio', pt: 'Ofício' },
] as const;

const languages = ['en', 'es', 'pt'] as const;
type Language = (typeof languages)[number];

/** Returns the first supported language of an `Accept-Language` header; otherwise the default, English. */
export function chooseLanguage(header: string | undefined): Language {
  const wanted = (header ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase());
  for (const entry of wanted) {
    const language = languages.find((known) => known === entry);
    if (language !== undefined) return language;
  }
  return 'en';
}

/** Returns rated topics (contract, "Rated topic and topic"): feedback has `imageCode`, evaluations `ratedTopicImage`. */
export function rateTopics(seed: number, language: string, image: 'imageCode' | 'ratedTopicImage') {
  return topics.map((topic, i) => {
    const name = topic[chooseLanguage(language)];
    const baseUrl = 'https://images.example.com/';
    return {
      id: i + 1,
      name,
      description: name,
      ordinality: i + 1,
      value: 1 + ((seed + i) % 5),
      ...(image === 'imageCode'
        ? { imageCode: topic.code }
        : { ratedTopicImage: { imageCode: topic.code, baseUrl, suggestedUrl: `${baseUrl}${topic.code}.png` } }),
      color: topic.color,
      topics: [{ id: 10 + i, name, description: name, active: true, skill: i === 2 }],
    };
  });
}
