import type { FieldName, FieldValues } from '../../core/person/fields.ts';

/** A synthetic user or employee. None is a real person. */
export interface SeedUser {
  readonly identification: string;
  readonly enabled: boolean;
  readonly fields: FieldValues;
}

/**
 * Yields `count` synthetic users, deterministic for `seed`. The first ones do not depend on `count`. About one in forty
 * is disabled. Names have accents, e-mails end in @example.com.
 */
export function* seedUsers(count: number, seed = 1): Generator<SeedUser, void> {
  for (let number = 1; number <= count; number += 1) yield seedUser(number, seed);
}

function seedUser(number: number, seed: number): SeedUser {
  const random = seededRandom(seed * 1_000_003 + number);
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? '';
  const firstName = pick(firstNames);
  const lastName = random() < 0.4 ? `${pick(lastNames)} ${pick(lastNames)}` : pick(lastNames);
  const fields: Partial<Record<FieldName, string>> = {
    email: `${plain(firstName)}.${plain(lastName)}.${number}@example.com`,
    firstName: random() < 0.01 ? `${firstName} ${pick(emojis)}` : firstName,
    lastName,
    area: pick(areas),
    orgEntryDate: pickDate(random, 2010, 2024),
    job: pick(jobs),
    phoneNumber: `+598 9${String(Math.floor(random() * 10_000_000)).padStart(7, '0')}`,
    seniority: pick(seniorities),
    project: pick(projects),
    account: pick(accounts),
    birthDate: pickDate(random, 1960, 2004),
    office: pick(cities),
    customField1: `CC-${100 + Math.floor(random() * 40)}`,
  };
  if (random() < 0.2) delete fields.project;
  return { identification: `E${String(number).padStart(6, '0')}`, enabled: random() >= 0.025, fields };
}

/** Returns a generator of numbers in [0, 1), deterministic for the seed (Mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pickDate(random: () => number, fromYear: number, toYear: number): string {
  const from = Date.UTC(fromYear, 0, 1);
  const to = Date.UTC(toYear, 11, 31);
  return new Date(from + Math.floor(random() * (to - from))).toISOString().slice(0, 10);
}

/** Converts a name to the letters of an e-mail address. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/ß/g, 'ss')
    .replace(/[^a-z]+/g, '-');
}

const words = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

const firstNames = words(
  `Ana, Beatriz, Camila, Diego, Elena, Federico, Gonzalo, Helena, Ignacio, Josefina, Kevin, Lucía, Martín, Nicolás,
   Ofelia, Paula, Quirino, Rocío, Sofía, Tomás, Úrsula, Valentina, Walter, Ximena, Yago, Zoë, João, François, Björn,
   Søren, Łukasz, Chloé, Renée, Ángel, Íñigo, Anaïs, Jürgen, Maëlle, Nuño, Øystein`,
);

const lastNames = words(
  `Acosta, Barrios, Castro, Domínguez, Echeverría, Fernández, García, Hernández, Ibáñez, Juárez, Krüger, López,
   Muñoz, Núñez, O'Brien, Pérez, Quiñones, Rodríguez, Suárez, Techera, Urrutia, Vázquez, Wójcik, Ximénez, Yáñez,
   Zúñiga, Gonçalves, Lefèvre, Müller, Sørensen, Straße, D'Angelo, Smith-Jones, Lindqvist, Peña, Güell`,
);

const areas = words('Delivery, Engineering, Finance, Human Resources, Legal, Marketing, Operations, Sales');
const jobs = words('Analyst, Designer, Developer, Engineer, Lead, Manager, Recruiter, Tester');
const seniorities = words('Trainee, Junior, Semi Senior, Senior, Principal');
const projects = words('Aurora, Boreal, Cóndor, Delta, Eclipse, Fénix, Gaviota');
const accounts = words('Acme UY, Acme AR, Acme BR, Globex, Initech');
const cities = words('Montevideo, Buenos Aires, São Paulo, Bogotá, Medellín, Málaga, Kraków');
const emojis = words('🌟, 🎸, 👩‍💻, 🐧');
