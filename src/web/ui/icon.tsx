/** Small line icons, 16 by 16. Each is beside a word, so assistive technology skips it. */
const paths = {
  ok: 'M3.5 8.5l3 3 6-7',
  bad: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  warn: 'M8 2.8l6 10.4H2L8 2.8zM8 6.6v3M8 11.4v.2',
  pause: 'M6 4v8M10 4v8',
  none: 'M4 8h8',
  clock: 'M8 4.5V8l2.3 1.6M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11z',
  run: 'M5.5 3.8l6 4.2-6 4.2z',
  hand: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM6.3 5.8v4.4M9.7 5.8v4.4',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  right: 'M6.5 4.5L10 8l-3.5 3.5',
  search: 'M7 3a4 4 0 100 8 4 4 0 000-8zM10 10l3.2 3.2',
  user: 'M8 3a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM3.5 13.2c.6-2.4 2.3-3.6 4.5-3.6s3.9 1.2 4.5 3.6',
  plus: 'M8 4v8M4 8h8',
  wave: 'M3 9.2c1.6-3.2 3.3-3.2 5 0s3.4 3.2 5 0',
  minus: 'M4 8h8',
  bell: 'M4.5 11V7.5a3.5 3.5 0 017 0V11l1 1.2h-9l1-1.2zM7 13.8h2',
  close: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  download: 'M8 3v6.5M5.2 7L8 9.8 10.8 7M3.5 13h9',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
