import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import type { MovedSystem } from '../../dist/protocol/move-in.js'
import { runHere } from '../cli/command-support.ts'
import { people } from '../harness/browser.ts'
import type { Dialect } from '../harness/databases.ts'
import { everythingWritten } from '../harness/states.ts'
import { exported, exportFiles } from '../move-in/support.ts'
import { type AdminAnswer, Administrator, administeredOn } from './support.ts'

const folder = new URL('../move-in/exports/', import.meta.url).pathname

/** The files of `exports/` of a system, as they are sent. */
export const filesOf = (source: MovedSystem) =>
  exportFiles[source].map((name) => ({ name, text: exported(name) }))
export const fileOf = (text: string, name = 'export.json') => [{ name, text }]

interface Told {
  field: string
  line?: number
  detail: string
}

/** What is wrong, a line each: `mapping 2: What.` */
export const told = ({ json }: AdminAnswer) =>
  ((json.errors ?? []) as Told[])
    .map(({ field, line = 0, detail }) => `${field} ${line}: ${detail}`)
    .join('\n')

/** Somebody who administers everything and moves in, while the tests of the describe block run. */
export function movingOn(dialect: Dialect) {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.person(tessera.url, people.admin)
  })
  const read = async (source: string, files: object[], more: object = {}, who = admin) =>
    await who.post('/move-in', { source, files, ...more })
  const nothingOf = async (work: () => Promise<unknown>) => {
    const before = await everythingWritten(tessera)
    await work()
    expect(await everythingWritten(tessera)).toEqual(before)
  }
  /** As the command writes it. Yields the declared file. */
  const isAsByCommand = async (source: MovedSystem) => {
    const out = join(mkdtempSync(join(tmpdir(), 'move-in-')), 'out')
    const paths = exportFiles[source].map((name) => join(folder, name))
    expect(await runHere(['move-in', source, ...paths, '--out', out])).toMatchObject({ code: 0 })
    const written = (name: string) => readFileSync(join(out, name), 'utf8')
    const { status, json, text, headers } = await read(source, filesOf(source))
    expect(status, text).toBe(200)
    expect(json).toMatchObject({
      declared: written('declared.yaml'),
      people: written('people.jsonl'),
      mapping: written('mapping.yaml'),
      report: written('report.md'),
    })
    expect(headers.get('cache-control')).toBe('no-store')
    return String(json.declared)
  }
  return {
    tessera,
    get admin() {
      return admin
    },
    read,
    nothingOf,
    isAsByCommand,
  }
}
