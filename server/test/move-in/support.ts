import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { noMapping, readMapping } from '../../dist/move-in/mapping.js'
import { moveIn } from '../../dist/move-in/move-in.js'
import { sources } from '../../dist/move-in/sources.js'
import type { SourceOptions } from '../../dist/move-in/told.js'

const row = z.looseObject({ email: z.string(), profiles: z.array(z.unknown()) })
const declaredParts = z.object({
  organisations: z.array(z.looseObject({ code: z.string(), name: z.string() })).default([]),
  roles: z.array(z.looseObject({ code: z.string(), permissions: z.array(z.string()) })).default([]),
  services: z.array(z.looseObject({ code: z.string() })).default([]),
  clients: z.array(z.looseObject({ client_id: z.string(), type: z.string() })).default([]),
})

/** An export of `exports/`. */
export const exported = (name: string): string =>
  readFileSync(new URL(`exports/${name}`, import.meta.url), 'utf8')

/** What comes of files; of what the import refuses, the report's lines are left out. */
export async function moved(
  source: string,
  files: Readonly<Record<string, string | Buffer>>,
  { mapping, ...options }: SourceOptions & { mapping?: string } = {},
) {
  const read = sources[source]
  if (read === undefined) throw new Error(`There is no source ${source}.`)
  const lines: string[] = []
  const told = read(Object.entries(files).map(exportFile), options)
  const {
    declared,
    report,
    mapping: written,
  } = await moveIn({
    source,
    told,
    mapping: mapping === undefined ? noMapping : readMapping(mapping),
    person: (line) => lines.push(line),
  })
  return {
    people: lines.map((line) => row.parse(JSON.parse(line))),
    lines,
    declared: declaredParts.parse(parse(declared) ?? {}),
    report: report
      .split('\n')
      .filter((line) => line.startsWith('- **') && !line.includes('The import will refuse somebody.')),
    mapping: written,
  }
}

/** Chunks are small, so that what is read lies across their ends. */
const exportFile = ([name, content]: readonly [string, string | Buffer]) => ({
  name,
  bytes: async function* () {
    const bytes = Buffer.from(content)
    const size = Math.max(7, Math.ceil(bytes.length / 64))
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
  },
})
