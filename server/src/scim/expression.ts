/** Filters as they are written (RFC 7644 §3.4.2.2), in lists and in the paths of a PATCH. */
import type { Filter } from 'scim2-parse-filter'
import { ScimError } from './errors.ts'

const longest = 1024
const mostBrackets = 20

export const invalidFilter = (detail: string) => new ScimError('invalidFilter', detail)

/**
 * Reads a filter. Throws `invalidFilter`. The parser recurses into brackets, and reads an unfinished text of many line
 * breaks for ever, so both are refused before.
 */
export async function parsedFilter(text: string): Promise<Filter> {
  if (Buffer.byteLength(text) > longest) throw invalidFilter('A filter has 1 KiB at the most.')
  if (/\p{Cc}/u.test(text)) throw invalidFilter('A filter holds no control character.')
  if (text.replaceAll(/[^([]/g, '').length > mostBrackets)
    throw invalidFilter(`A filter has ${mostBrackets} brackets at the most.`)
  const { parse } = await import('scim2-parse-filter')
  try {
    return parse(text)
  } catch {
    throw invalidFilter('It is no filter as RFC 7644 writes them.')
  }
}
