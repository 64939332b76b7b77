/** Moments and spans of time in words. Without a script the page can't know the reader's zone, so it says UTC. */

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

export function Moment({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <>
      <time datetime={new Date(at).toISOString()}>{MOMENT.format(at)} UTC</time> ({relative(at, now)})
    </>
  )
}

function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  if (seconds === 0) return 'now'
  return seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`
}

/** The two largest units: nobody reads the seconds of a day. */
export function span(seconds: number): string {
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3600) % 24],
    ['min', Math.floor(seconds / 60) % 60],
    ['s', Math.floor(seconds) % 60],
  ] as const
  const first = units.findIndex(([, count]) => count > 0)
  if (first === -1) return '0 s'
  const shown = units.slice(first, first + 2).filter(([, count]) => count > 0)
  return shown.map(([unit, count]) => `${count} ${unit}`).join(' ')
}
