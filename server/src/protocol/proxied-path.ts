/**
 * How the path of a request may be read by what stands behind a proxy: applications and their servers read it
 * differently.
 */

/** The segments of a path. */
export type Segments = readonly string[]

export interface ReadPath {
  /** The path as it is, decoded once; one with a slash at its end, with that and without. */
  readonly plain: readonly Segments[]
  /** The path as it is, and as each other reader may have it. Each compares in any case as well: see `folded`. */
  readonly all: readonly Segments[]
  /** Whether it has an encoded or doubled slash, or a backslash: nobody knows where its segments end. */
  readonly isDoubtful: boolean
}

const longest = 4096
/** No path that somebody means has as many segments, or readings. */
const mostSegments = 100
const mostReadings = 64

/**
 * Reads the path of a target (`/path?query`, RFC 9112 §3.2.1). Undefined: it is none, or it leads upwards, holds a
 * control character or a wrong percent-encoding, or could be read in too many ways.
 */
export function readPath(target: string): ReadPath | undefined {
  const path = target.split('?', 1)[0] ?? ''
  if (!path.startsWith('/') || path.length > longest || /[^\x21-\x7e]|#/.test(path)) return undefined
  const raw = path.slice(1).split('/')
  if (raw.length > mostSegments) return undefined
  if (isSimple.test(path)) {
    const plain = withoutEnd(raw)
    return { plain, all: plain, isDoubtful: false }
  }
  const decoded = raw.map(decode)
  if (!areTexts(decoded)) return undefined
  const plain = withoutEnd(decoded)
  const all = readings(plain)
  if (all === undefined || all.flat().some(isForbidden)) return undefined
  const isDoubtful = hasSlash(raw) || raw.slice(0, -1).includes('') || all.some(hasSlash)
  return { plain, all, isDoubtful }
}

/** Nobody reads such a path in two ways. */
const isSimple = /^(\/[A-Za-z0-9_~-]+)*\/?$/

/** `/wiki/` has an empty last segment, which most take for none; `/` has none at all. */
function withoutEnd(segments: Segments): Segments[] {
  if (segments.at(-1) !== '') return [segments]
  return segments.length === 1 ? [[]] : [segments, segments.slice(0, -1)]
}

/**
 * What readers do: decode once more; leave out parameters of a segment, dots and blanks at its end, empty segments, the
 * format of the last one; take a wide dot or slash for a plain one; end at an encoded `?` or `#`.
 */
const habits: readonly ((segments: Segments) => Segments)[] = [
  (segments) => segments.map(decodedAgain),
  (segments) => segments.map((one) => before(one, ';')),
  (segments) => segments.map(withoutTail),
  (segments) => segments.filter((one) => one !== ''),
  (segments) => segments.map((one) => one.normalize('NFKC')),
  (segments) => [...segments.slice(0, -1), ...segments.slice(-1).map((one) => one.replace(/\.[^.]*$/, ''))],
  (segments) => {
    const end = segments.findIndex((one) => /[?#]/.test(one))
    return end === -1 ? segments : [...segments.slice(0, end), before(before(segments[end] ?? '', '?'), '#')]
  },
]

const before = (text: string, sign: string): string => text.split(sign, 1)[0] ?? ''

/** Cut by hand: an expression would look at each of many dots again. */
function withoutTail(segment: string): string {
  let end = segment.length
  while (end > 0 && /[.\s\p{Z}]/u.test(segment[end - 1] ?? '')) end--
  return segment.slice(0, end)
}

/** The path as a reader with any of these habits, or several in any order, has it. Undefined: in too many ways. */
function readings(plain: readonly Segments[]): Segments[] | undefined {
  const all = new Map(plain.map((one) => [one.join('\0'), one]))
  // What is added meanwhile is visited too.
  for (const one of all.values()) {
    if (one.some(isForbidden)) continue
    for (const habit of habits) {
      const other = habit(one)
      all.set(other.join('\0'), other)
    }
    if (all.size > mostReadings) return undefined
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

/** A segment with what of it can be decoded once more. */
const decodedAgain = (segment: string): string =>
  segment.includes('%')
    ? segment.replaceAll(
        /(?:%[0-9a-f]{2})+/gi,
        (run) => decode(run) ?? run.replaceAll(/%[0-7][0-9a-f]/gi, (one) => decodeURIComponent(one)),
      )
    : segment

/** Whether something is left of a segment for a server that takes the least of it. */
export const isNamed = (segment: string): boolean => withoutTail(before(decodedAgain(segment), ';')) !== ''

/**
 * A segment as readers compare it that heed neither case nor how a character is made: ſ is s, K is k, ı and İ are i, ａ
 * is a.
 */
export const folded = (segment: string): string =>
  /^[\x20-\x7e]*$/.test(segment)
    ? segment.toLowerCase()
    : segment.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('\u0307', '')

const areTexts = (segments: readonly (string | undefined)[]): segments is string[] =>
  !segments.includes(undefined)

const hasSlash = (segments: Segments) => segments.some((one) => /[/\\]/.test(one))

/** A control character, or a step upwards, also behind an encoded slash or with parameters. */
const isForbidden = (segment: string): boolean =>
  /\p{Cc}/u.test(segment) || segment.split(/[/\\]/).some((part) => /^\.{1,2}(;.*)?$/s.test(part))
