/** The first that a browser's own name holds: others imitate those below them. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  'Mac OS X': 'macOS',
  Linux: 'Linux',
}

const firstIn = (text: string, names: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(names).find(([part]) => text.includes(part))?.[1]

/** What people know a browser by, such as `Firefox, Linux`. Whatever it says of itself, nothing of it is kept. */
export function browserLabel(userAgent = ''): string {
  const known = [firstIn(userAgent, browsers), firstIn(userAgent, systems)].filter((one) => one !== undefined)
  return known.length === 0 ? 'Browser' : known.join(', ')
}
