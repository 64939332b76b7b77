/** Imports by whoever administers a part: each row is what they could do by hand, and no more is told of elsewhere. */
import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { everythingWritten, usersOf } from '../harness/states.ts'
import { password_hash } from '../import/support.ts'
import { csv, importBy, reasonsOf, refusalOf, undoBy } from './imports-support.ts'
import { acme, Administrator, administeredOn, globex, heads } from './support.ts'

onEachDatabase('an import of a part', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  let unit: Administrator
  let everywhere: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.person(tessera.url, heads.head)
    unit = await Administrator.person(tessera.url, heads.unitHead)
    everywhere = await Administrator.machine(tessera.url, 'roles-cli')
    const abroad = await admin.post('/units', { organisation_uuid: globex, code: 'abroad', name: 'Abroad' })
    expect(abroad.status, abroad.text).toBe(201)
  })
  const personOf = async (email: string) => (await usersOf(tessera)).find((one) => one.email === email)

  it('adds people as they are added by hand: unproved, and of their maker', async () => {
    const text = csv(
      'email,name,locale,enrolment_required,role,organisation,unit',
      'first@part.example,First,de,true,importer,acme,',
      'second@part.example,Second,,,importer,acme,intake',
    )
    const before = await everythingWritten(tessera)
    const checked = await importBy(own, text, '?dry_run=true')
    expect(checked.end).toMatchObject({ imported: 2, refused: 0, dry_run: true, sign_in_again: false })
    expect(await everythingWritten(tessera)).toEqual(before)
    const done = await importBy(own, text)
    expect(done.end).toMatchObject({ imported: 2, refused: 0 })
    const made = await personOf('first@part.example')
    expect(made).toMatchObject({
      limited_reach: 1,
      locale: 'de',
      enrolment_required: 1,
      import_uuid: done.end.import_uuid,
      password_hash: null,
    })
    expect(made?.makers).not.toBeNull()
    expect((await own.get(`/imports/${String(done.end.import_uuid)}`)).json).toMatchObject({
      organisation_uuid: acme,
      organisation_unit_uuid: null,
      people: 2,
    })
    const again = await importBy(own, text)
    expect(again.end).toMatchObject({ imported: 0, already: 2, refused: 0, import_uuid: null })
    // The address is taken for another importer, as by hand.
    const other = await importBy(unit, text)
    expect(other.refused).toEqual(['2 email', '3 email'])
  })

  once.it('refuses each column that adding a user by hand has not', async () => {
    const uuid = '7f0fd1f6-4b2e-4a35-9f6b-1f6b2f6e0b11'
    const row = {
      email: 'more@part.example',
      name: 'More',
      profiles: [{ role: 'importer', organisation: 'acme' }],
    }
    const passkey = { credential_id: 'AAAA', public_key: newCoseKey(), rp_id: 'localhost' }
    const more: [object, string][] = [
      [{ password_hash }, 'password_hash'],
      [{ password_hash, password_temporary: true }, 'password_hash'],
      [{ uuid }, 'uuid'],
      [{ former_sub: 'auth0|1' }, 'former_sub'],
      [{ totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }, 'totp_secret'],
      [{ user_handle: 'AAAA', passkeys: [passkey] }, 'passkeys'],
      [{ email_verified: true }, 'email_verified'],
    ]
    const text = more.map(([column]) => `${JSON.stringify({ ...row, ...column })}\n`)
    const before = await everythingWritten(tessera)
    for (const [at, [, field]] of more.entries())
      for (const who of [own, unit])
        for (const query of ['', '?dry_run=true'])
          expect((await importBy(who, text[at] ?? '', query)).refused).toEqual([`1 ${field}`])
    // One who does not hold everything, of the whole installation.
    for (const [at, [, field]] of more.slice(0, 6).entries()) {
      const told = await importBy(everywhere, text[at] ?? '')
      expect(told.refused).toEqual([`1 ${field}`])
      expect(reasonsOf(told).join()).toMatch(/administers everything/)
    }
    expect(await everythingWritten(tessera)).toEqual(before)
  })

  once.it(
    'gives nothing beyond their reach, or that they do not hold, and tells nothing of what is there',
    async () => {
      const rows: [place: string, field: string][] = [
        ['importer,globex,', 'profiles.0.organisation'],
        ['importer,nowhere,', 'profiles.0.organisation'],
        ['importer,globex,abroad', 'profiles.0.organisation'],
        ['importer,nowhere,abroad', 'profiles.0.organisation'],
        ['importer,,', 'profiles.0.organisation'],
        ['bookkeeper,acme,', 'profiles.0.role'],
        ['nothing,acme,', 'profiles.0.role'],
        ['bookkeeper,globex,', 'profiles.0.role'],
        ['bookkeeper,nowhere,', 'profiles.0.role'],
        ['administrator,acme,', 'profiles.0.role'],
        ['administrator,,', 'profiles.0.role'],
        ['importer,acme,abroad', 'profiles.0.unit'],
        ['importer,acme,nothing', 'profiles.0.unit'],
        [',,', 'profiles'],
      ]
      const columns = 'email,name,role,organisation,unit'
      const text = csv(columns, ...rows.map(([place], at) => `n${at}@part.example,N,${place}`))
      const before = await everythingWritten(tessera)
      for (const query of ['?dry_run=true', '']) {
        const told = await importBy(own, text, query)
        expect(told.refused).toEqual(rows.map(([, field], at) => `${at + 2} ${field}`))
        const reasons = reasonsOf(told)
        expect(new Set(reasons.slice(0, 4)).size).toBe(1)
        expect(new Set(reasons.slice(5, 11)).size).toBe(1)
        expect(reasons[11]).toBe(reasons[12])
      }
      const places = ['acme,', 'acme,finance', 'acme,nothing', 'globex,abroad']
      const unitText = csv(columns, ...places.map((place, at) => `u${at}@part.example,U,importer,${place}`))
      const told = await importBy(unit, unitText)
      expect(told.refused).toEqual([
        '2 profiles.0.unit',
        '3 profiles.0.unit',
        '4 profiles.0.unit',
        '5 profiles.0.organisation',
      ])
      expect(reasonsOf(told)[1]).toBe(reasonsOf(told)[2])
      expect(await everythingWritten(tessera)).toEqual(before)
      expect(
        (await importBy(unit, csv(columns, 'u9@part.example,U,importer,acme,intake'))).end,
      ).toMatchObject({
        imported: 1,
      })
    },
  )

  it('replaces nobody, and says of a taken address what adding by hand says', async () => {
    const added = async (email: string, organisation_uuid: string | null) =>
      await admin.post('/users', {
        email,
        name: 'Taken',
        profiles: [{ role_code: 'importer', organisation_uuid }],
      })
    for (const [email, at] of [
      ['taken-globex@part.example', globex],
      ['taken-acme@part.example', acme],
    ] as const)
      expect((await added(email, at)).status).toBe(201)
    // Unproved, of another administrator.
    const unproved = await everywhere.post('/users', { email: 'unproved@part.example', name: 'Unproved' })
    expect(unproved.status, unproved.text).toBe(201)
    const emails = ['taken-globex', 'taken-acme', 'unproved', 'TAKEN-globex'].map(
      (one) => `${one}@part.example`,
    )
    const before = await everythingWritten(tessera)
    for (const email of emails) {
      const text = csv('email,name,role,organisation', `${email},Taken,importer,acme`)
      const byHand = await own.post('/users', {
        email,
        name: 'Taken',
        profiles: [{ role_code: 'importer', organisation_uuid: acme }],
      })
      const [{ detail }] = byHand.json.errors as [{ detail: string }]
      for (const query of ['?dry_run=true', '']) {
        const told = await importBy(own, text, query)
        expect([told.refused, reasonsOf(told)]).toEqual([['2 email'], [detail]])
      }
    }
    expect(await everythingWritten(tessera)).toEqual(before)
    // What one who administers everything imported from the same row is not told either.
    const row = csv('email,name,role,organisation', 'whole@part.example,Whole,importer,globex')
    expect((await importBy(admin, row)).end).toMatchObject({ imported: 1 })
    const told = await importBy(own, row)
    expect(told.end).toMatchObject({ already: 0, refused: 1 })
    expect(reasonsOf(await importBy(everywhere, row))).toEqual(['This address is taken.'])
  })

  once.it('is named as the maker of its people, whatever its file is called', async () => {
    const columns = 'email,name,role,organisation'
    await importBy(own, csv(columns, 'named@part.example,Named,importer,acme'))
    await importBy(admin, csv('email,name', 'whole-named@part.example,Named'))
    const text = ['named', 'whole-named'].map((one) => `  - { email: ${one}@part.example, name: Named }\n`)
    const planned = await admin.post('/declared/plan', { text: `users:\n${text.join('')}`, file: 'x.yaml' })
    const { adopts } = planned.json as { adopts: { id: string; made_by: string }[] }
    expect(adopts.map(({ id, made_by }) => [id, made_by])).toEqual([
      ['named@part.example', `${heads.head.email} of acme`],
      ['whole-named@part.example', 'client admin-cli'],
    ])
  })

  it('is seen and undone within its reach alone', async () => {
    const of = async (who: Administrator, text: string) => (await importBy(who, text)).end.import_uuid
    const columns = 'email,name,role,organisation,unit'
    const whole = await of(admin, csv(columns, 'seen-1@part.example,Seen,importer,acme,'))
    const acmes = await of(own, csv(columns, 'seen-2@part.example,Seen,importer,acme,'))
    const units = await of(unit, csv(columns, 'seen-3@part.example,Seen,importer,acme,intake'))
    const seenBy = async (who: Administrator) => (await who.all('/imports')).map(({ uuid }) => uuid)
    expect(await seenBy(admin)).toEqual(expect.arrayContaining([whole, acmes, units]))
    expect(await seenBy(own)).not.toContain(whole)
    expect(await seenBy(own)).toEqual(expect.arrayContaining([acmes, units]))
    expect(await seenBy(unit)).not.toContain(acmes)
    expect(await seenBy(unit)).toContain(units)
    const before = await everythingWritten(tessera)
    for (const [who, uuid] of [
      [own, whole],
      [unit, whole],
      [unit, acmes],
      [own, globex],
      [own, 'nothing'],
    ] as const) {
      expect((await who.get(`/imports/${String(uuid)}`)).status).toBe(404)
      expect(await refusalOf(undoBy(who, uuid))).toBe('404 not_found')
      expect(await refusalOf(undoBy(who, uuid, '?dry_run=true'))).toBe('404 not_found')
    }
    expect(await everythingWritten(tessera)).toEqual(before)
    expect((await undoBy(own, units)).end).toMatchObject({ removed: 1 })
    expect(await personOf('seen-3@part.example')).toBeUndefined()
  })

  it('adds nobody to roles that give more than its sender has by now', async () => {
    const columns = 'email,name,role,organisation'
    const rows = Array.from({ length: 450 }, (_, n) => `taken-from-${n}@part.example,Gone,importer,acme`)
    const { json } = await admin.get('/roles/acme-administrator')
    const permissions = json.permissions as string[]
    const leaving = await Administrator.person(tessera.url, heads.head)
    const going = importBy(leaving, csv(columns, ...rows))
    const found = async () =>
      ((await admin.get('/users?q=taken-from-0@part.example')).json.items as object[]).length
    await expect.poll(found, { timeout: 20_000, interval: 10 }).toBe(1)
    const less = permissions.filter((one) => !one.startsWith('iam.profiles'))
    expect((await admin.patch('/roles/acme-administrator', { permissions: less })).status).toBe(200)
    const { end } = await going
    expect(end).toMatchObject({ kind: 'failed' })
    expect(
      (await usersOf(tessera)).filter(({ email }) => email.startsWith('taken-from-')).length,
    ).toBeLessThan(450)
    expect((await admin.patch('/roles/acme-administrator', { permissions })).status).toBe(200)
  })
})

/** A COSE key, as a browser makes one. */
function newCoseKey(): string {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  })
  const parts = ['a5010203262001215820', Buffer.from(x, 'base64url').toString('hex'), '225820']
  return Buffer.from(parts.join('') + Buffer.from(y, 'base64url').toString('hex'), 'hex').toString(
    'base64url',
  )
}
