/** A name that an object of a JSON text has twice. */
export class RepeatedName extends Error {
  /** The path of the name, such as `profiles.0.role_code`. */
  readonly path: string

  constructor(path: string) {
    super(isTwice(path))
    this.path = path
  }
}

type Reviver = (name: string, value: unknown) => unknown

/**
 * The value of a JSON text. Throws `RepeatedName` where an object has a name twice, of which one reader takes the first
 * value and another the last (RFC 8259 §4), and what JSON.parse throws where the text is no JSON.
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  const value: unknown = JSON.parse(text, reviver)
  const path = repeatedName(text)
  if (path !== undefined) throw new RepeatedName(path)
  return value
}

const isTwice = (name: string) => `The name ${JSON.stringify(name.slice(0, 100))} is there twice.`

/** What is wrong with a text that `parseJson` refused. `shown`: a name as it may be repeated. */
export const jsonProblem = (error: unknown, shown = (name: string) => name): string =>
  error instanceof RepeatedName ? isTwice(shown(error.path)) : 'It is no JSON.'

/** An object or a list that is open, and the name or the place that is read in it. */
interface Open {
  /** The names that were read of an object. */
  names: Set<string> | undefined
  at: string | number
  awaitsName: boolean
}

/** Only of a text that is JSON. */
function repeatedName(text: string): string | undefined {
  const open: Open[] = []
  for (let at = 0; at < text.length; at++) {
    const inner = open.at(-1)
    const character = text[at]
    if (character === '{') open.push({ names: new Set(), at: '', awaitsName: true })
    else if (character === '[') open.push({ names: undefined, at: 0, awaitsName: false })
    else if (character === '}' || character === ']') open.pop()
    else if (character === ',' && inner !== undefined) goOn(inner)
    else if (character === '"') {
      const end = endOfString(text, at)
      if (inner?.awaitsName && isSecond(text.slice(at, end + 1), inner)) {
        return open.map((one) => one.at).join('.')
      }
      at = end
    }
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

function goOn(inner: Open): void {
  if (typeof inner.at === 'number') inner.at++
  else inner.awaitsName = true
}

/** Notes the name of the value that follows. Names are compared as they are read: `"\u0061"` is `"a"`. */
function isSecond(token: string, inner: Open): boolean {
  const name = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1)
  inner.awaitsName = false
  inner.at = name
  if (inner.names?.has(name)) return true
  inner.names?.add(name)
  return false
}
