/** Files that nobody has who imports people: they are refused, and others are answered meanwhile. */
import { beforeAll, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { importBy } from './imports-support.ts'
import { Administrator, administeredOn, heads, problemOf, tokenOf } from './support.ts'

onOneDatabase('a hostile file', (dialect) => {
  const tessera = administeredOn(dialect)
  let unit: Administrator
  beforeAll(async () => {
    unit = await Administrator.person(tessera.url, heads.unitHead)
  })
  const refusalOf = async (text: string) => {
    const answer = await unit.post('/imports?dry_run=true', { name: 'people.csv', text })
    const [{ detail = '' } = {}] = (answer.json.errors ?? []) as { detail?: string }[]
    return `${problemOf(answer)}: ${detail}`
  }
  const names = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      n.toString(26).replaceAll(/\d/g, (one) => 'qrstuvwxyz'[+one] ?? ''),
    )

  it('has a first line that is longer than any row', async () => {
    const long = await refusalOf(`email,name,${names(800_000).join(',')}\n`)
    expect(long).toBe('400 invalid_request text: Line 1 is longer than any row: is this a file of rows?')
  })

  it('has thousands of columns, of which a few are named', async () => {
    const many = await refusalOf(`email,name,${names(14_000).join(',')}\n`)
    expect(many).toMatch(/^400 invalid_request text: Unknown columns: .*, and 13980 more\./)
    expect(many.length).toBeLessThan(1000)
    const twice = await refusalOf(`email,name,${names(12_000).join(',')},name\n`)
    expect(twice).toBe('400 invalid_request text: Line 1 has the column "name" twice. Nothing was imported.')
  })

  it('has a row of megabytes, which is not read', async () => {
    const told = await importBy(unit, `email,name\n${'"a",'.repeat(1_200_000)}\nx\n`, '?dry_run=true')
    expect(told.refused).toEqual(['2 row', '3 row'])
    expect(told.lines[0]?.detail).toBe('It is longer than 65536 bytes.')
  })

  it('is read alone, until its sender goes', async () => {
    const own = await Administrator.person(tessera.url, heads.head)
    const machine = await Administrator.machine(tessera.url)
    const small = { name: 'people.csv', text: 'email,name\nx\n' }
    const going = new AbortController()
    const answer = await fetch(`${tessera.url}/admin/v1/imports?dry_run=true`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokenOf(tessera.url, 'acme-cli')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'people.csv', text: `email,name\n${'x\n'.repeat(1_000_000)}` }),
      signal: going.signal,
    })
    expect(answer.status).toBe(200)
    for (const who of [own, unit])
      for (const path of ['/imports', '/imports?dry_run=true']) {
        const refused = await who.post(path, small)
        expect(problemOf(refused)).toBe('503 temporarily_unavailable')
        expect(refused.headers.get('retry-after')).toBe('5')
      }
    // A change of many people is not begun beside it either.
    const many = await own.post('/users/bulk?dry_run=true', { action: 'disable', people: { q: 'x' } })
    expect(problemOf(many)).toBe('503 temporarily_unavailable')
    expect((await machine.post('/imports?dry_run=true', small)).status).toBe(200)
    going.abort()
    await expect.poll(async () => (await own.post('/imports', small)).status).toBe(200)
    for (const who of [own, unit, own]) expect((await importBy(who, small.text)).refused).toEqual(['2 row'])
  })

  it('has rows with thousands of unknown keys, of which a few are told', async () => {
    const row = `{"email":"x@part.example",${names(7000).map((one) => `"${one}":1`)}}\n`
    const told = await importBy(unit, row.repeat(3), '?dry_run=true')
    expect(told.end).toMatchObject({ rows: 3, refused: 3 })
    expect(told.refused).toHaveLength(60)
  })
})
