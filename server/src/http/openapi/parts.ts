/** What the protocol and the administration API are both described with. */

/** A piece of the document: an OpenAPI 3.1 object or a JSON Schema (2020-12). */
export interface Piece {
  readonly [name: string]: unknown
}

/** The object with every value made anew. */
export const mapped = <T>(
  object: { readonly [name: string]: T },
  make: (value: T) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, make(value)]))

export const schema = (name: string): Piece => ({ $ref: `#/components/schemas/${name}` })

/** A response as the document has it: its headers by their names in `components.headers`. */
export interface OpenApiResponse {
  description: string
  headers?: readonly string[]
  content?: Piece
}

/** An answer as OpenAPI has it; every one carries `x-request-id`. */
export function answer({ headers = [], ...rest }: OpenApiResponse): Piece & { headers: Piece } {
  const shown = ['x-request-id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return { ...rest, headers: Object.fromEntries(shown) }
}
