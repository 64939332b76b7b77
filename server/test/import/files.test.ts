/** Files of `tessera import` as people have them: what spreadsheets and other systems write. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { userOf } from '../../dist/import/row.js'
import { readSource } from '../../dist/import/source.js'

/** The rows of a file: who comes of each, or why nobody does. */
async function read(bytes: Buffer | string): Promise<(Record<string, unknown> | string)[]> {
  const source = await readSource(Readable.from([Buffer.from(bytes)]))
  const rows: (Record<string, unknown> | string)[] = []
  for await (const row of source.rows) {
    const user = userOf(source, row, () => 'localhost')
    if (Array.isArray(user)) rows.push(user.map(({ field, detail }) => `${field}: ${detail}`).join('; '))
    else {
      const { email, name, email_verified, active } = user.columns
      rows.push({ email, name, email_verified, active, profiles: user.profiles })
    }
  }
  return rows
}
const refusal = async (bytes: Buffer | string): Promise<string> =>
  await readSource(Readable.from([Buffer.from(bytes)])).then(
    () => 'read',
    (error: unknown) => String(error),
  )

const jorg = { email: 'jorg@file.example', name: 'Jörg Müller', email_verified: 1, active: 1 }
const reader = { profiles: [{ role: 'reader', organisation: 'acme' }] }
const csv = (delimiter: string, verified = 'true') =>
  `email,name,email_verified,role,organisation\njorg@file.example,Jörg Müller,${verified},reader,acme\n`.replaceAll(
    ',',
    delimiter,
  )
const utf16 = (text: string, big = false) => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return big ? bytes.swap16() : bytes
}

describe('a table is read', () => {
  it.each<[string, Buffer | string]>([
    ['with commas', csv(',')],
    ['with semicolons', csv(';')],
    ['with tabs', csv('\t')],
    [
      'with a mark, semicolons and the ends of lines of Windows',
      `\uFEFF${csv(';', 'WAHR')}`.replaceAll('\n', '\r\n'),
    ],
    ['with a line that names the delimiter', `\uFEFFsep=,\r\n${csv(',')}`],
    ['with a line that names another', `sep=;\n${csv(';')}`],
    ['in UTF-16, as Excel saves "Unicode text"', utf16(csv('\t'))],
    ['in UTF-16, the other way', utf16(csv(','), true)],
    ['with blanks around names and values', csv(' , ')],
    ['with quotes and blanks around them', csv(',').replace('email,name', '"email" , "name"')],
    ['with empty columns at its end', csv(',').replaceAll('\n', ',,\n')],
    ['with empty rows', csv(',').replace('\njorg', '\n,,,,\n\n , ,,,\njorg')],
    ['with an empty column between', csv(',').replaceAll(',', ',,').replace('email,,name', 'email,,name')],
  ])('%s', async (_, bytes) => {
    expect(await read(bytes)).toEqual([{ ...jorg, ...reader }])
  })

  it.each([
    ['true', 1],
    ['TRUE', 1],
    ['True', 1],
    ['WAHR', 1],
    ['1', 1],
    ['yes', 1],
    ['ja', 1],
    ['t', 1],
    ['FALSE', 0],
    ['falsch', 0],
    ['0', 0],
    ['no', 0],
    ['f', 0],
  ])('with the flag %s', async (said, flag) => {
    expect(await read(csv(',', said))).toEqual([{ ...jorg, ...reader, email_verified: flag }])
  })

  it('and a flag that is none is refused', async () => {
    expect(await read(csv(',', 'perhaps'))).toEqual([expect.stringContaining('email_verified')])
  })

  it('and a value below no name is refused, not lost', async () => {
    const text = 'email,name,\njorg@file.example,Jörg,secret\nbo@file.example,Bo,\n'
    expect(await read(text)).toEqual([
      'row: Field 3 stands below no name.',
      expect.objectContaining({ email: 'bo@file.example' }),
    ])
  })

  it('and a row of another length is refused', async () => {
    expect(await read('email,name\na@file.example\nb@file.example,B,c\n')).toEqual([
      'row: It has 1 fields, the first line 2.',
      'row: It has 3 fields, the first line 2.',
    ])
  })

  it('and what is Windows-1252 is told by its name', async () => {
    const bytes = Buffer.from('email,name\njorg@file.example,Jörg\n', 'latin1')
    expect(await read(bytes)).toEqual([expect.stringContaining('Windows-1252')])
    expect(await refusal(Buffer.from('email,näme\n', 'latin1'))).toContain('Windows-1252')
  })
})

describe('JSON lines', () => {
  it('say by null that something is left out', async () => {
    const line = {
      ...{ email: jorg.email, name: jorg.name, email_verified: true, locale: null, picture: null },
      profiles: [{ role: 'reader', organisation: 'acme', unit: null }],
    }
    expect(await read(JSON.stringify(line))).toEqual([{ ...jorg, ...reader }])
  })

  it.each(['{\n  "users": []\n}\n', '{ "users": [\n{}\n]}\n'])(
    'are no document over several lines: %j',
    async (text) => {
      expect(await refusal(text)).toContain('one JSON document over several lines')
    },
  )
})
