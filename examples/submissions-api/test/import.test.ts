import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from '../src/server.ts'
import { acme, audience, file, globex, permissions, row, type Service, startService } from './service.ts'

let service: Service
let token: string
let organisation = 0

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** A caller of an organisation of its own, so that no test meets the rows of another. */
const newcomer = () => {
  organisation += 1
  return service.issuer.token({ permissions, organisation_uuid: `organisation-${organisation}` })
}
const send = async (body: string | Uint8Array<ArrayBuffer>, type?: string) => {
  const answer = await service.send(token, body, type)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const header = 'reference,title,submitter_email,submitted_at,category'
const csv = (...lines: string[]) => [header, ...lines].join('\r\n')
const csvRow = (reference: string, title = 'A title') =>
  `${reference},${title},ada@acme.example,2024-05-31,report`

describe('JSON', () => {
  beforeAll(async () => {
    token = await newcomer()
  })

  it('imports what is good and says of every other row what is wrong', async () => {
    const { status, body } = await send(
      file(
        row(),
        row({ reference: undefined }),
        row({
          reference: 'B',
          title: ' ',
          submitter_email: 'ada',
          submitted_at: '2024-02-30',
          category: 'x',
        }),
        row({ reference: 'C', colour: 'red', notes: 7 }),
        row(),
        row({ reference: 'D', notes: 'fine' }),
        row({ reference: 'E', submitted_at: '2999-01-01' }),
        row({ reference: "x'; DROP TABLE imports" }),
        'text',
        null,
        [],
      ),
    )
    expect(status).toBe(201)
    expect(body.import).toMatchObject({ rows: 11, imported: 2, refused: 9, format: 'json' })
    expect(body.imported).toEqual([
      { row: 1, reference: 'VISTA-2024/0001' },
      { row: 6, reference: 'D' },
    ])
    expect(body.refused).toEqual([
      { row: 2, field: 'reference', reason: 'is missing' },
      { row: 3, field: 'title', reason: 'is missing' },
      { row: 3, field: 'submitter_email', reason: 'must be an e-mail address' },
      { row: 3, field: 'submitted_at', reason: 'must be a date, YYYY-MM-DD' },
      { row: 3, field: 'category', reason: 'must be one of dataset, grant, publication, report, other' },
      { row: 4, field: 'notes', reason: 'must be a text' },
      { row: 4, field: 'colour', reason: 'is not known' },
      { row: 5, field: 'reference', reason: 'occurs already in row 1' },
      { row: 7, field: 'submitted_at', reason: 'lies in the future' },
      { row: 8, field: 'reference', reason: 'may hold letters, digits and . _ / - only' },
      { row: 9, field: '', reason: 'does not have the fields of the format' },
      { row: 10, field: '', reason: 'does not have the fields of the format' },
      { row: 11, field: '', reason: 'must be an object' },
    ])
  })

  it('refuses a reference that was imported before; when no row is left, nothing is stored', async () => {
    const { status, body } = await send(file(row()))
    expect(status).toBe(422)
    expect(body).toEqual({
      import: null,
      imported: [],
      refused: [{ row: 1, field: 'reference', reason: 'was imported before' }],
    })
    const { imports } = (await (await service.list(token)).json()) as { imports: unknown[] }
    expect(imports.length).toBe(1)
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{}',
    '{"submissions":{}}',
    '{"submissions":[]}',
    '{"submissions":[{}],"x":1}',
    '{"__proto__":{}}',
  ])('refuses the file %j: 400', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('takes 1,000 rows and no more, and one MiB and no more', async () => {
    token = await newcomer()
    const rows = Array.from({ length: 1001 }, (_, at) => row({ reference: `R-${at}` }))
    expect((await send(file(...rows))).status).toBe(400)
    expect((await send(file(...rows.slice(1)))).body).toMatchObject({ import: { imported: 1000 } })
    const tooLarge = await send(file(row({ notes: 'x'.repeat(1024 * 1024) })))
    expect(tooLarge).toMatchObject({ status: 413, body: { error: 'too_large' } })
  })
})

describe('CSV', () => {
  beforeAll(async () => {
    token = await newcomer()
  })

  it('with quotes, commas, line breaks, other line ends and columns in any order', async () => {
    const text = [
      '\ufeffcategory,notes,title,reference,submitter_email,submitted_at',
      'report,"two\nlines, and ""quotes""",Plain,A-1,ada@acme.example,2024-05-31',
      'grant,,"Comma, in a title",A-2,"ada@acme.example",2024-05-31\r\n',
      'other,,Ünïcödé,A-3,ada@acme.example,2024-05-31',
    ].join('\n')
    const { status, body } = await send(text, 'text/csv; charset=utf-8')
    expect(status).toBe(201)
    expect(body.refused).toEqual([])
    expect(body.import).toMatchObject({ format: 'csv', rows: 3, imported: 3 })
  })

  it('refuses rows by their number, those with too few or too many fields included', async () => {
    const { body } = await send(
      csv(csvRow('B-1'), 'B-2,too,few', `${csvRow('B-3')},more`, csvRow('B-1'), csvRow('')),
      'text/csv',
    )
    expect(body.imported).toEqual([{ row: 1, reference: 'B-1' }])
    expect(body.refused).toEqual([
      { row: 2, field: '', reason: 'does not have the fields of the format' },
      { row: 3, field: '', reason: 'does not have the fields of the format' },
      { row: 4, field: 'reference', reason: 'occurs already in row 1' },
      { row: 5, field: 'reference', reason: 'is missing' },
    ])
  })

  it.each([
    ['nothing', '', /must|empty|body/i],
    ['a header alone', header, /1 to 1000 rows/],
    ['an unknown column', `${header},colour\nx`, /Unknown column "colour"/],
    ['a column twice', `${header},title\nx`, /twice/],
    ['a missing column', 'reference,title\nx,y', /"submitter_email" is missing/],
    ['a prototype name as column', `${header},__proto__\nx`, /Unknown column/],
    ['an open quote', csv(csvRow('C-1', '"open')), /Line 2: a quote/],
    ['a quote inside a plain field', csv(csvRow('C-1', 'a"b')), /Line 2: a quote/],
    ['text after a quote', csv(csvRow('C-0'), csvRow('C-1', '"a"b')), /Line 3: a quote/],
    ['too many rows', csv(...Array.from({ length: 1001 }, (_, at) => csvRow(`D-${at}`))), /not 1001/],
  ])('refuses %s: 400', async (_, text, reason) => {
    const { status, body } = await send(text, 'text/csv')
    expect(status).toBe(400)
    expect(body.error_description).toMatch(reason)
  })

  it('refuses other encodings: 400', async () => {
    const { status, body } = await send(Buffer.from(csv(csvRow('E-1', 'é')), 'latin1'), 'text/csv')
    expect([status, body.error_description]).toEqual([400, 'The file is not in UTF-8'])
  })
})

it.each(['text/plain', 'application/xml', 'multipart/form-data', 'application/x-www-form-urlencoded', 'x'])(
  'the type %s: 415',
  async (type) => {
    token = await newcomer()
    expect(await send('x', type)).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } })
  },
)

describe('past imports', () => {
  const imports = async (caller: string, query = '') => {
    const answer = await service.list(caller, `/submissions/vista-import${query}`)
    return ((await answer.json()) as { imports: { id: string; imported: number; actor: object }[] }).imports
  }

  it('are shown newest first, with who made them', async () => {
    const person = await service.issuer.token({
      permissions,
      organisation_uuid: acme,
      organisation_unit_uuid: 'intake',
    })
    const machine = await service.issuer.machineToken({
      permissions,
      sub: 'nightly-import',
      client_id: 'nightly-import',
      organisation_uuid: acme,
    })
    await service.send(person, file(row({ reference: 'P-1' })))
    await service.send(machine, file(row({ reference: 'M-1' }), row({ reference: 'M-2' })))
    const [newest, oldest, ...more] = await imports(person)
    expect(more).toEqual([])
    expect(newest).toMatchObject({
      imported: 2,
      actor: {
        sub: 'nightly-import',
        client_id: 'nightly-import',
        profile_uuid: null,
        organisation_uuid: acme,
      },
    })
    expect(oldest).toMatchObject({
      actor: {
        sub: '00000000-0000-4000-8000-000000000001',
        profile_uuid: '00000000-0000-4000-8000-000000000003',
        role_code: 'tester',
        organisation_uuid: acme,
        organisation_unit_uuid: 'intake',
      },
    })
    expect((await imports(person, '?limit=1')).map(({ id }) => id)).toEqual([newest?.id])
  })

  it('of one organisation are nothing to another, nor to a caller without any', async () => {
    const ofGlobex = await service.issuer.token({ permissions, organisation_uuid: globex })
    const ofNone = await service.issuer.token({ permissions })
    expect(await imports(ofGlobex)).toEqual([])
    expect(await imports(ofNone)).toEqual([])
    // The same reference is another submission there: not even a refusal tells that it exists.
    expect((await service.send(ofGlobex, file(row({ reference: 'P-1' })))).status).toBe(201)
    expect((await service.send(ofNone, file(row({ reference: 'P-1' })))).status).toBe(201)
    expect((await imports(ofGlobex)).length).toBe(1)
    expect((await imports(ofNone)).length).toBe(1)
  })

  it.each(['?limit=0', '?limit=101', '?limit=x', '?limit=1&limit=2', '?organisation_uuid=x'])(
    '%s: 400',
    async (query) => {
      const answer = await service.list(await newcomer(), `/submissions/vista-import${query}`)
      expect(answer.status).toBe(400)
    },
  )
})

describe('the process', () => {
  it('keeps imports across a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'submissions-api-'))
    const options = {
      port: 0,
      host: '127.0.0.1',
      issuer: service.issuer.issuer,
      audience,
      database: join(folder, 'a', 'b.sqlite'),
    }
    const headers = { authorization: `Bearer ${await newcomer()}`, 'content-type': 'application/json' }
    const first = await start(options)
    await fetch(`${first.url}/submissions/vista-import`, { method: 'POST', headers, body: file(row()) })
    await first.close()
    const second = await start(options)
    const answer = await fetch(`${second.url}/submissions/vista-import`, { headers })
    expect(await answer.json()).toMatchObject({ imports: [{ imported: 1 }] })
    await second.close()
    await rm(folder, { recursive: true })
  })

  it('says where it listens and ends cleanly when told to', async () => {
    const env = { ...process.env, PORT: '0', DATABASE: ':memory:', TESSERA_ISSUER: service.issuer.issuer }
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: join(import.meta.dirname, '..'),
      env,
    })
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data) => resolve(String(data))),
    )
    expect(line).toMatch(/^Submissions API on http:\/\/127\.0\.0\.1:\d+\n$/)
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
