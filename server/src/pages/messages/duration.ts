const minute = 60
const hour = 60 * minute

/**
 * "40 seconds", "3 minutes", "2 hours": rounded up, so that people who wait that long are not too early.
 * Intl knows the plurals of every language.
 */
export function duration(language: string, seconds: number): string {
  const wait = Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : minute
  const [value, unit] =
    wait < 2 * minute
      ? [wait, 'second']
      : wait < 2 * hour
        ? [Math.ceil(wait / minute), 'minute']
        : [Math.ceil(wait / hour), 'hour']
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
