/** Reads a JSON document of any size part by part: what stands at each key of its object, and each entry of its lists. */
import { UnreadableExport } from './unreadable.ts'

export interface JsonPart {
  /** The key of the outermost object; '' where the document is a list. */
  key: string
  /** Whether it is one entry of the list at that key. */
  listed: boolean
  text: string
}

export interface JsonReading {
  /** Whether parts at this key are left out, unread. */
  skips?: (key: string) => boolean
}

/** Deeper than any export; a reader of such depths would fail with no clear reason. */
const deepest = 100
/** Bytes of one part: JSON.parse takes no text of 512 MiB. */
const largest = 256 * 1_048_576

/** Yields the parts in their order. Throws where the document ends early, is nested too deep, or has too large a part. */
export async function* jsonParts(
  chunks: AsyncIterable<Buffer>,
  { skips = () => false }: JsonReading = {},
): AsyncGenerator<JsonPart> {
  const splitter = new JsonSplitter(skips)
  for await (const chunk of chunks) yield* splitter.take(chunk)
  splitter.end()
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

class JsonSplitter {
  readonly #skips: (key: string) => boolean
  #depth = 0
  #inString = false
  #escaped = false
  #began = false
  /** The depth at which commas part entries: 1 of the document, 2 of a list at a key. */
  #entries = 1
  #key = ''
  #awaitsKey = false
  /** The bytes of the part, or of the key, from earlier chunks; undefined: none is being read. */
  #kept: Buffer[] | undefined
  #size = 0

  constructor(skips: (key: string) => boolean) {
    this.#skips = skips
  }

  take(chunk: Buffer): JsonPart[] {
    const parts: JsonPart[] = []
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (byte === backslash) this.#escaped = true
        else if (byte === quote) this.#inString = false
        continue
      }
      if (byte === quote) {
        this.#inString = true
      } else if (byte === openBrace || byte === openBracket) {
        if (this.#open(byte)) from = at + 1
      } else if (this.#depth === 1 && this.#awaitsKey && byte === colon) {
        this.#key = String(parsedKey(this.#text(chunk.subarray(from, at))))
        this.#awaitsKey = false
        this.#begin()
        from = at + 1
      } else if (byte === comma || byte === closeBrace || byte === closeBracket) {
        if (this.#depth === this.#entries) {
          this.#finish(chunk.subarray(from, at), parts)
          from = at + 1
        }
        if (byte !== comma) this.#close()
        else if (this.#depth === this.#entries) this.#next()
      }
    }
    if (this.#kept !== undefined) this.#keep(chunk.subarray(from))
    return parts
  }

  end(): void {
    if (!this.#began) throw new UnreadableExport('It is empty.')
    if (this.#depth > 0 || this.#inString)
      throw new UnreadableExport('It ends in the middle: the export is not whole.')
  }

  /** Whether a part begins behind it. */
  #open(byte: number): boolean {
    this.#depth++
    if (this.#depth > deepest) throw new UnreadableExport(`It is nested deeper than ${deepest}.`)
    if (this.#depth === 1) {
      if (this.#began) throw new UnreadableExport('It holds more than one document.')
      this.#began = true
      this.#awaitsKey = byte === openBrace
      this.#begin()
      return true
    }
    // A list at a key of the document's object: its entries are parts.
    const isList = this.#depth === 2 && this.#entries === 1 && byte === openBracket && this.#key !== ''
    if (!isList || this.#awaitsKey) return false
    this.#entries = 2
    this.#begin()
    return true
  }

  #close(): void {
    this.#depth--
    if (this.#depth < 0) throw new UnreadableExport('It is no JSON.')
    if (this.#depth < this.#entries && this.#entries === 2) {
      this.#entries = 1
      this.#kept = undefined
    }
  }

  /** What follows a comma: another entry, or another key. */
  #next(): void {
    if (this.#entries === 1 && this.#key !== '') this.#awaitsKey = true
    this.#begin()
  }

  #begin(): void {
    const isSkipped = !this.#awaitsKey && this.#skips(this.#key)
    this.#kept = isSkipped ? undefined : []
    this.#size = 0
  }

  #keep(bytes: Buffer): void {
    this.#size += bytes.length
    if (this.#size > largest)
      throw new UnreadableExport(`It has a part of more than ${largest / 1_048_576} MiB.`)
    this.#kept?.push(bytes)
  }

  #text(rest: Buffer): string {
    this.#keep(rest)
    return utf8.decode(Buffer.concat(this.#kept ?? []))
  }

  #finish(rest: Buffer, parts: JsonPart[]): void {
    if (this.#kept === undefined) return
    const text = this.#text(rest)
    this.#kept = undefined
    if (text.trim() !== '')
      parts.push({ key: this.#key, listed: this.#entries === 2 || this.#key === '', text })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parsedKey(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableExport('It is no JSON.')
  }
}
