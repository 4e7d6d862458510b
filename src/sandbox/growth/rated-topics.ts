const topics = [
  { code: 'collaboration', color: '#2d7dd2', en: 'Collaboration', es: 'Colaboración', pt: 'Colaboração' },
  { code: 'ownership', color: '#97cc04', en: 'Ownership', es: 'Responsabilidad', pt: 'Responsabilidade' },
  { code: 'craft', color: '#f45d01', en: 'Craft', es: 'Oficio', pt: 'Ofício' },
] as const;

const languages = ['en', 'es', 'pt'] as const;
export type Language = (typeof languages)[number];

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
