import type { SpanUnit, NoticeFact } from '../kinds.ts'

/** The time of an event in the person's time zone, which is named with it. */
export function shownTime(language: string, { at, zone }: Pick<NoticeFact, 'at' | 'zone'>): string {
  const date = { year: 'numeric', month: 'long', day: 'numeric' } as const
  const format = { ...date, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  try {
    return new Intl.DateTimeFormat(language, { ...format, timeZone: zone }).format(at)
  } catch {
    return new Intl.DateTimeFormat(language, { ...format, timeZone: 'UTC' }).format(at)
  }
}

/** `3 days`, by Intl, which knows the plurals of every language. */
export const unitsOf = (language: string, count: number, unit: SpanUnit): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
