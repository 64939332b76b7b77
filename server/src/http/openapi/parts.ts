/** The pieces that the paths of the interface description are put together from. */

/** A piece of the document: an OpenAPI 3.1 object or a JSON Schema (2020-12). */
export interface Piece {
  readonly [name: string]: unknown
}

/** A parameter of a query or a field of a form, described once for both. */
export interface Parameter {
  name: string
  required?: boolean
  description: string
  schema?: Piece
  example?: string
}

const text: Piece = { type: 'string' }

export const schema = (name: string): Piece => ({ $ref: `#/components/schemas/${name}` })

export function inQuery(parameters: readonly Parameter[]): Piece[] {
  return parameters.map(({ name, required = false, description, schema = text, example }) => ({
    name,
    in: 'query',
    required,
    description,
    schema,
    ...(example !== undefined && { example }),
  }))
}

/** An `application/x-www-form-urlencoded` body; `variants` says which fields go together. */
export function inForm(
  fields: readonly Parameter[],
  { variants, examples }: { variants?: readonly Piece[]; examples?: Piece } = {},
): Piece {
  const required = fields.filter((field) => field.required === true).map(({ name }) => name)
  return {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(fields.map((field) => [field.name, asProperty(field)])),
          ...(required.length > 0 && { required }),
          ...(variants !== undefined && { oneOf: variants }),
        },
        ...(examples === undefined ? { example: exampleOf(fields) } : { examples }),
      },
    },
  }
}

function asProperty({ description, schema = text, example }: Parameter): Piece {
  return { ...schema, description, ...(example !== undefined && { examples: [example] }) }
}

function exampleOf(fields: readonly Parameter[]): Piece {
  const shown = fields.filter(({ required, example }) => required === true && example !== undefined)
  return Object.fromEntries(shown.map(({ name, example }) => [name, example]))
}

/** Headers that are described once, in `components.headers`. */
export type HeaderName =
  | 'Cache-Control'
  | 'WWW-Authenticate'
  | 'Retry-After'
  | 'Allow'
  | 'Location'
  | 'Set-Cookie'
  | 'Access-Control-Allow-Origin'
  | 'ETag'

/** An answer; every one carries `x-request-id`. */
export function answer(
  description: string,
  { headers = [], content }: { headers?: readonly HeaderName[]; content?: Piece } = {},
): Piece {
  const shown = ['x-request-id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return {
    description,
    headers: Object.fromEntries(shown),
    ...(content !== undefined && { content }),
  }
}

/** JSON of a described schema. */
export function json(schema: Piece, example: unknown): Piece {
  return { 'application/json': { schema, example } }
}

/** A page for people: its words may change, so it has no schema beyond being HTML. */
export const page: Piece = { 'text/html': { schema: { type: 'string', description: 'A page for people.' } } }
