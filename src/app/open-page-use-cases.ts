import type { AppIo } from './app-io.ts';
import { countDays } from './days.ts';
import { readOverview } from './overview.ts';
import type { PageUseCases } from './page.ts';

export function openPageUseCases(io: AppIo): PageUseCases {
  return {
    overview: () => readOverview(io),
    days: (query) => countDays(query, io.engine),
  };
}
