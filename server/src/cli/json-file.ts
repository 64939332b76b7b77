import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { ApiObject } from './connection.ts'
import type { Context } from './context.ts'
import { jsonOf } from './service-address.ts'

/** The JSON object in a file; `-`: in the standard input. */
export async function jsonFrom({ input }: Context, file: string): Promise<ApiObject> {
  const said = jsonOf(file === '-' ? await text(input) : readFileSync(file, 'utf8'))
  if (said !== undefined) return said
  throw new Error(`${file === '-' ? 'The standard input' : file} is no JSON object.`)
}
