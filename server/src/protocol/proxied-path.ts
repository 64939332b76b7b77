/** How the path of a request may be read by what stands behind a proxy: applications and their servers read it differently. */

/** The segments of a path. */
export type Segments = readonly string[]

export interface ReadPath {
  /** As it is, decoded once; with a slash at its end both ways. */
  readonly plain: readonly Segments[]
  /** As it is, and as each other reader may have it. Each compares in any case as well. */
  readonly all: readonly Segments[]
  /** It has an encoded or doubled slash, or a backslash: nobody knows where its segments end. */
  readonly isDoubtful: boolean
}

const longest = 4096

/**
 * Reads the path of a target (`/path?query`, RFC 9112 §3.2.1). Undefined: it is none, or it leads upwards, or holds a
 * control character or a wrong percent-encoding.
 */
export function readPath(target: string): ReadPath | undefined {
  const path = target.split('?', 1)[0] ?? ''
  if (!path.startsWith('/') || path.length > longest || /[^\x21-\x7e]|#/.test(path)) return undefined
  const raw = path.slice(1).split('/')
  if (isSimple.test(path)) {
    const plain = withoutEnd(raw)
    return { plain, all: plain, isDoubtful: false }
  }
  const decoded = raw.map(decode)
  if (!areTexts(decoded)) return undefined
  const plain = withoutEnd(decoded)
  const all = readings(plain)
  if (all.flat().some(isForbidden)) return undefined
  const isDoubtful = hasSlash(raw) || raw.slice(0, -1).includes('') || all.some(hasSlash)
  return { plain, all, isDoubtful }
}

/** Nobody reads such a path in two ways. */
const isSimple = /^(\/[A-Za-z0-9_~-]+)*\/?$/

/** `/wiki/` has an empty last segment, which most take for none. */
const withoutEnd = (segments: Segments): Segments[] =>
  segments.at(-1) === '' ? [segments, segments.slice(0, -1)] : [segments]

/** What readers leave out or decode: parameters of a segment, dots at its end, empty segments, a second encoding. */
const habits: readonly ((segments: Segments) => Segments)[] = [
  (segments) => segments.map((one) => decode(one) ?? one),
  (segments) => segments.map((one) => one.replace(/;.*$/s, '')),
  (segments) => segments.map((one) => one.replace(/[. ]+$/, '')),
  (segments) => segments.filter((one) => one !== ''),
]

/** The path as a reader with any of these habits, or several, has it. */
function readings(plain: readonly Segments[]): Segments[] {
  let all = new Map(plain.map((one) => [one.join('\0'), one]))
  for (const habit of habits) {
    const more = [...all.values()].filter((one) => !one.some(isForbidden)).map(habit)
    all = new Map([...all, ...more.map((one) => [one.join('\0'), one] as const)])
  }
  return [...all.values()]
}

/** Undefined: not UTF-8, or no percent-encoding. */
function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const areTexts = (segments: readonly (string | undefined)[]): segments is string[] =>
  !segments.includes(undefined)

const hasSlash = (segments: Segments) => segments.some((one) => /[/\\]/.test(one))

/** A control character, or a step upwards, also behind an encoded slash or with parameters. */
const isForbidden = (segment: string): boolean =>
  /\p{Cc}/u.test(segment) || segment.split(/[/\\]/).some((part) => /^\.{1,2}(;.*)?$/s.test(part))
