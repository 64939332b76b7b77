/** Codes for names of other systems. */

/** Letters that Unicode takes no mark off. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  å: 'a',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  þ: 'th',
}
const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** A code as near to the name as can be; undefined where nothing of it can stand in one. */
export function codeOf(name: string, most = 60): string | undefined {
  const code = name
    .toLowerCase()
    .replaceAll(/[äöüßæøåœłđþ]/g, (one) => umlauts[one] ?? letters[one] ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, most)
    .replace(/-+$/, '')
  return code === '' ? undefined : code
}

/** Gives each name a code of its own, in the order in which they come. */
export class Codes {
  readonly #taken = new Set<string>()
  readonly #otherwise: string
  readonly #most = 60
  readonly #prefix: string

  /** `otherwise` is the code of a name that has nothing for one; `prefix` stands before each. */
  constructor(
    otherwise: string,
    { prefix, taken = [] }: { prefix?: string | undefined; taken?: Iterable<string> } = {},
  ) {
    this.#otherwise = otherwise
    this.#prefix = prefix === undefined ? '' : `${prefix}-`
    for (const one of taken) this.#taken.add(one)
  }

  of(name: string): string {
    const plain = `${this.#prefix}${codeOf(name, this.#most) ?? this.#otherwise}`
    for (let count = 1; ; count++) {
      const end = count === 1 ? '' : `-${count}`
      const code = `${plain.slice(0, this.#most - end.length).replace(/-+$/, '')}${end}`
      if (this.#taken.has(code)) continue
      this.#taken.add(code)
      return code
    }
  }
}
