/** Completes the operations of `assets/openapi.yaml`, whose head says what is short for what. */
import { type ErrorCode, errorCatalogue } from '../../protocol/errors.ts'
import { withParameters } from '../../protocol/redirect-uri.ts'
import { type OpenApiResponse, answer, mapped, type Piece } from './parts.ts'
import { refusals } from './refusals.ts'

interface Parameter {
  name: string
  required?: boolean
  description: string
  schema?: Piece
  example?: string
}

interface Form {
  fields: readonly Parameter[]
  oneOf?: readonly Piece[]
  examples?: Piece
}

interface Redirected {
  redirectUri: string
  state: string
  code: string
  errors: readonly ErrorCode[]
}

interface Operation extends Piece {
  query?: readonly Parameter[]
  form?: Form
  refused?: readonly ErrorCode[]
  forPeople?: boolean
  responses: Record<string, OpenApiResponse & { redirected?: Redirected }>
}

/** A part of a path; all but operations stay as they are. */
export function completed(part: unknown, issuer: string): unknown {
  if (typeof part !== 'object' || part === null || !('responses' in part)) return part
  const { query, form, refused, forPeople = false, responses, ...rest } = part as Operation
  return {
    ...rest,
    ...(query && { parameters: query.map(inQuery) }),
    ...(form && { requestBody: inForm(form) }),
    responses: {
      ...mapped(responses, ({ redirected, ...one }) =>
        redirected === undefined ? answer(one) : redirection(one, redirected, issuer),
      ),
      ...(refused && refusals(refused, forPeople)),
    },
  }
}

const text: Piece = { type: 'string' }

const inQuery = ({ schema = text, required = false, ...rest }: Parameter): Piece => ({
  ...rest,
  in: 'query',
  required,
  schema,
})

/** A form without examples of its own has those of the fields that it needs. */
function inForm({ fields, examples, oneOf }: Form): Piece {
  const needed = fields.filter(({ required }) => required === true)
  const properties = fields.map(({ name, schema = text, description, example }) => [
    name,
    { ...schema, description, ...(example !== undefined && { examples: [example] }) },
  ])
  const example = Object.fromEntries(needed.map((field) => [field.name, field.example]))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length > 0 && { required: needed.map(({ name }) => name) }),
    ...(oneOf && { oneOf }),
  }
  const media = { schema, ...(examples ? { examples } : { example }) }
  return { required: true, content: { 'application/x-www-form-urlencoded': media } }
}

/** The answer that sends the browser to the redirect_uri, with an example of each error. */
function redirection(
  of: OpenApiResponse,
  { redirectUri, errors, ...sent }: Redirected,
  issuer: string,
): Piece {
  const { code, state } = sent
  const refusal = (error: ErrorCode) => {
    const { meaning: error_description } = errorCatalogue[error]
    return { value: withParameters(redirectUri, { error, error_description, state, iss: issuer }) }
  }
  const list = errors.map((error) => `- \`${error}\`: ${errorCatalogue[error].meaning}`).join('\n')
  const described = answer({ ...of, description: `${of.description}\n\n${list}` })
  const Location = {
    description: 'Where the browser goes.',
    required: true,
    schema: { type: 'string', format: 'uri' },
    examples: {
      success: { value: withParameters(redirectUri, { code, state, iss: issuer }) },
      ...Object.fromEntries(errors.map((error) => [error, refusal(error)])),
    },
  }
  return { ...described, headers: { ...described.headers, Location } }
}
