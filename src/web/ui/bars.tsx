/** One bar of a small chart. */
export interface Bar {
  readonly key: string;
  readonly value: number;
  readonly isBad: boolean;
  readonly title: string;
}

interface Props {
  readonly bars: readonly Bar[];
  /** The chart in words. */
  readonly label: string;
}

const height = 24;
const width = 9;
const gap = 3;

/** Bars on a scale of square roots, so that a small day beside a large one is still seen. */
export function Bars({ bars, label }: Props) {
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <svg
      className="bars"
      width={bars.length * (width + gap) - gap}
      height={height}
      viewBox={`0 0 ${bars.length * (width + gap) - gap} ${height}`}
      role="img"
      aria-label={label}
    >
      {bars.map(({ key, value, isBad, title }, i) => {
        const tall = value === 0 ? 2 : Math.max(4, Math.round(Math.sqrt(value / largest) * height));
        return (
          <rect
            key={key}
            className={isBad ? 'bad' : value === 0 ? 'zero' : ''}
            x={i * (width + gap)}
            y={height - tall}
            width={width}
            height={tall}
            rx="1.5"
          >
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
