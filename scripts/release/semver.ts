const number = '(0|[1-9]\\d*)'
const identifier = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const pattern = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?$`)

/** Whether a text is a version of Semantic Versioning 2.0. Build metadata is left out: neither npm nor a tag keeps it. */
export const isVersion = (text: string): boolean => pattern.test(text)

/** Below, at or above zero as `a` comes before, is or comes after `b` (section 11). */
export function compareVersions(a: string, b: string): number {
  const [, ...left] = pattern.exec(a) ?? []
  const [, ...right] = pattern.exec(b) ?? []
  for (const at of [0, 1, 2]) if (left[at] !== right[at]) return Number(left[at]) - Number(right[at])
  // What comes before a version is of less worth than the version.
  if (left[3] === undefined || right[3] === undefined)
    return Number(right[3] !== undefined) - Number(left[3] !== undefined)
  return compareIdentifiers(left[3].split('.'), right[3].split('.'))
}

function compareIdentifiers([a, ...more]: string[], [b, ...others]: string[]): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  if (a === b) return compareIdentifiers(more, others)
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && isOther) return Number(a) - Number(b)
  if (isNumber !== isOther) return isNumber ? -1 : 1
  return a < b ? -1 : 1
}
