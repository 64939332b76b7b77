import type { FastifyInstance } from 'fastify'
import { Problem } from '../protocol/problem.ts'

/** What a body of the administration API can be sent as. */
export const bodyTypes = ['application/json', 'application/merge-patch+json']

/** JSON and nothing else, by routes of this instance alone; everything else is answered 415. */
export function jsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(bodyTypes, { parseAs: 'string' }, async (_request: unknown, text: string) =>
    parsedJson(text),
  )
}

/** A name that is given twice counts as JSON.parse takes it: the last. */
function parsedJson(text: string): unknown {
  // DELETE and GET may say a type and send nothing.
  if (text === '') return undefined
  try {
    return JSON.parse(text, withoutPrototypes)
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('invalid_request', 'The body is not valid JSON.')
  }
}

const prototypeNames = new Set(['__proto__', 'constructor', 'prototype'])

function withoutPrototypes(name: string, value: unknown): unknown {
  if (prototypeNames.has(name)) {
    throw new Problem('invalid_request', 'What was sent is not valid; nothing was changed.', {
      fields: [{ field: name, detail: 'It is not known here, or can not be set.' }],
    })
  }
  return value
}
