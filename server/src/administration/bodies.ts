import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { bounded } from '../catalogue/check.ts'
import { parseJson, RepeatedName } from '../protocol/json.ts'
import { notValid, Problem } from '../protocol/problem.ts'

/** What a body of the administration API can be sent as. */
export const bodyTypes = ['application/json', 'application/merge-patch+json']

/** JSON and nothing else, by routes of this instance alone; everything else is answered 415. */
export function jsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(bodyTypes, { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) =>
    parsedJson(bytes),
  )
}

function parsedJson(bytes: Buffer): unknown {
  // DELETE and GET may say a type and send nothing.
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw new Problem('invalid_request', 'The body is not valid UTF-8.')
  try {
    return parseJson(bytes.toString('utf8'), withoutPrototypes)
  } catch (error) {
    if (error instanceof Problem) throw error
    if (error instanceof RepeatedName) {
      throw notValid([{ field: bounded(error.path), detail: 'It is there twice; send it once.' }])
    }
    throw new Problem('invalid_request', 'The body is not valid JSON.')
  }
}

const prototypeNames = new Set(['__proto__', 'constructor', 'prototype'])

function withoutPrototypes(name: string, value: unknown): unknown {
  if (prototypeNames.has(name)) {
    throw notValid([{ field: name, detail: 'It is not known here, or can not be set.' }])
  }
  return value
}
