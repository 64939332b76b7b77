import { useLanguage, useWords } from '../messages/messages.tsx'
import type { Life } from './life.ts'

const row = 46
const bar = 14
/** The word above, and the dates below. */
const [above, below] = [14, 20]
const day = 86_400_000

/** One bar for each key, in parts of the width; the table below says the same. */
export function Bars({ lives, now }: { lives: readonly Life[]; now: number }) {
  const { key: words } = useWords()
  const language = useLanguage()
  const known = lives.flatMap((one) => [one.published, one.signs, one.retires, one.removed])
  const start = Math.min(now - day, ...lives.map(({ published }) => published))
  const last = Math.max(now, ...known.filter(Number.isFinite))
  const end = last + (last - start) * 0.12
  const at = (moment: number) =>
    (100 * (Math.min(Math.max(moment, start), end) - start)) / Math.max(1, end - start)
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  const height = above + lives.length * row + below
  return (
    <figure className="key-bars">
      <svg width="100%" height={height} aria-hidden="true">
        {lives.map(({ key, ...life }, index) => {
          const y = above + index * row + 22
          const parts = [
            ['published', life.published, life.signs],
            ['signing', life.signs, Math.min(life.retires, life.removed)],
            ['retiring', life.retires, life.removed],
          ] as const
          return (
            <g key={key.kid}>
              <text y={y - 6}>
                {key.alg} {key.kid.slice(0, 8)}
              </text>
              <line x2="100%" y1={y + bar / 2} y2={y + bar / 2} />
              {parts.map(
                ([part, from, to]) =>
                  to > from &&
                  at(to) > 0 && (
                    <rect
                      key={part}
                      className={part}
                      x={`${at(from)}%`}
                      y={y}
                      // A short time is seen, too.
                      width={`${Math.max(0.8, at(to) - at(from))}%`}
                      height={bar}
                    />
                  ),
              )}
              <line className="now" x1={`${at(now)}%`} x2={`${at(now)}%`} y1={y - 4} y2={y + bar + 4} />
            </g>
          )
        })}
        <text className="now" x={`${at(now)}%`} y={11} textAnchor={at(now) > 80 ? 'end' : 'middle'}>
          {words.now}
        </text>
        <text y={height - 4}>{format.format(start)}</text>
        <text x="100%" y={height - 4} textAnchor="end">
          {format.format(end)}
        </text>
      </svg>
      <ul className="legend">
        {(['published', 'signing', 'retiring'] as const).map((part) => (
          <li key={part} className={part}>
            {words.parts[part]}
          </li>
        ))}
      </ul>
    </figure>
  )
}
