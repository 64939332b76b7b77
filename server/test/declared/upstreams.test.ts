/** What a declared file says of how an organisation signs its people in. */
import { describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { encryptedUpstream, openedUpstream } from '../../dist/keys/upstream-secret.js'
import { forgetPasswords, openingIn } from '../harness/states.ts'
import { acme, edited, forEachDatabase, parse, passwords, refusal } from './support.ts'
import { oneDatabase } from '../harness/databases.ts'

const secret = 'a-secret-of-the-tests-0123456789-abcdef'
const giving = {
  encryptUpstream: (text: string, uuid: string, of: 'secret' | 'private_key') =>
    encryptedUpstream(text, uuid, of, secret),
}
const apply = (store: Store, text: string, now = 1_000) =>
  applyDeclared(store, parse(text), { now, ...passwords, ...giving })

const at = '  - code: globex\n'
const opening = `    accepts: [globex]
    break_glass: [admin@acme.example]
    domains: [acme.example, ACME.test]
    upstreams:
      - code: entra
        name: Acme
        kind: oidc
        issuer: https://login.acme.example/tenant
        client_id: tessera
        client_secret: a-secret-of-entra
        mapping:
          - group: staff
            role: importer
            unit: intake
    directories:
      - code: scim
        name: Acme
        mapping: [{group: g1, role: reader}]
`
const top = `upstreams:
  - {code: staff, name: Staff, kind: oidc, issuer: "https://idp.example", client_id: t, domains: [staff.example]}
`
const whole = edited(acme, [at, `${opening}${at}`]) + top
const upstreamsIn = async (store: Store) => (await openingIn(store)).upstreams
const domainsIn = async (store: Store) => (await openingIn(store)).domains
const organisationIn = async (store: Store) => (await openingIn(store)).organisations[0]

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  const open = async (text = acme) => {
    const store = await openEmptyStore()
    await apply(store, text)
    return store
  }

  describe('with upstreams', () => {
    it('makes them with a key and a secret, and changes nothing the second time', async () => {
      const store = await open()
      const plan = await apply(store, whole)
      expect(plan.changes.map(({ kind, action, id }) => `${action} ${kind} ${id}`)).toEqual([
        'change organisation acme',
        'create domain acme.example',
        'create domain acme.test',
        'create upstream acme/entra',
        'create directory acme/scim',
        'create upstream staff',
      ])
      expect(JSON.stringify(plan)).not.toContain('a-secret-of-entra')
      const [entra, staff] = await upstreamsIn(store)
      expect([entra?.managed_by, entra?.active, staff?.organisation_uuid]).toEqual(['acme.yaml', 1, null])
      const opened = (of: 'secret' | 'private_key') =>
        openedUpstream({ uuid: entra?.uuid ?? '', of, stored: entra?.[of] ?? '' }, [secret])
      expect(opened('secret')).toBe('a-secret-of-entra')
      expect(opened('private_key')).toContain('BEGIN PRIVATE KEY')
      expect(await organisationIn(store)).toMatchObject({
        accepts: '["5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01"]',
        break_glass: '["0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0004"]',
      })
      expect((await domainsIn(store)).map(({ given, holds }) => [given, holds])).toEqual([
        [1, 1],
        [1, 1],
      ])
      expect(await apply(store, whole, 2_000)).toEqual({ changes: [], access: { users: [], clients: [] } })
    })

    it('leaves what it does not speak of, disables what it names no more, and takes domains back', async () => {
      const store = await open()
      await apply(store, whole)
      expect((await apply(store, acme, 2_000)).changes).toEqual([])
      const emptied = edited(acme, [
        at,
        `    upstreams: []\n    directories: []\n    domains: []\n    accepts: []\n${at}`,
      ])
      const plan = await apply(store, `${emptied}upstreams: []\n`, 3_000)
      expect(plan.changes.map(({ kind, action, id }) => `${action} ${kind} ${id}`)).toEqual([
        'change organisation acme',
        'remove domain acme.example',
        'remove domain acme.test',
        'change upstream acme/entra',
        'change directory acme/scim',
        'change upstream staff',
      ])
      expect((await upstreamsIn(store)).map(({ active, managed_by }) => [active, managed_by])).toEqual([
        [0, null],
        [0, null],
      ])
      expect((await organisationIn(store))?.break_glass).not.toBe('[]')
    })

    it('gives a domain to another organisation, which its holder loses', async () => {
      const store = await open(edited(acme, [at, `    domains: [acme.example]\n${at}`]))
      const moved = edited(
        acme,
        [at, `    domains: []\n${at}`],
        [`    name: Globex\n`, `    name: Globex\n    domains: [acme.example]\n`],
      )
      await apply(store, moved, 2_000)
      const globex = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01'
      expect(await domainsIn(store)).toMatchObject([{ organisation_uuid: globex, given: 1, holds: 1 }])
    })

    it('is written by an export without secrets, and read again', async () => {
      const store = await open(acme)
      await apply(store, whole)
      await forgetPasswords(store)
      const text = await exportDeclared(store, 2_000)
      expect(text).not.toMatch(/a-secret-of-entra|private_key|client_secret: /)
      expect(text).toContain('# It leaves out the secrets of 1 upstreams')
      expect(text).toMatch(/accepts:\n\s+- globex\n\s+break_glass:\n\s+- admin@acme.example/)
      const declared = parse(text, 'production')
      const settings = { now: 3_000, ...passwords }
      expect((await planDeclared(store, declared, settings)).changes).toEqual([])
    })

    once.it('refuses what can not be, with its line', async () => {
      const wrong = async (...edits: [string, string][]) =>
        (await refusal(() => parse(edited(whole, ...edits)))).join()
      expect(await wrong(['kind: oidc\n', 'kind: saml\n'])).toMatch(
        /client_id: It is not of an upstream of the kind saml/,
      )
      expect(await wrong(['role: importer\n            unit: intake', 'role: nobody'])).toMatch(
        /declares no role "nobody"/,
      )
      expect(await wrong(['unit: intake\n    directories', 'unit: works\n    directories'])).toMatch(
        /no unit "acme\/works"/,
      )
      expect(await wrong(['accepts: [globex]', 'accepts: [other]'])).toMatch(/no organisation "other"/)
      expect(await wrong(['[{group: g1', '[{claim: c, equals: e'])).toMatch(/a directory has groups alone/)
      expect(await wrong(['domains: [staff.example]', 'mapping: [{group: g, role: reader}]'])).toMatch(
        /gives no profiles/,
      )
      expect(await wrong(['ACME.test', 'acme.example'])).toMatch(/domain/)
      expect((await refusal(() => parse(whole, 'production'))).join()).toMatch(/tessera upstream secret/)
      const store = await open(acme)
      await apply(store, whole)
      const other = whole.replace('login.acme.example/tenant', 'login.acme.example/other')
      expect((await refusal(() => apply(store, other))).join()).toMatch(/issuer of an upstream never changes/)
      const nobody = whole.replace('break_glass: [admin@acme.example]', 'break_glass: [who@acme.example]')
      expect((await refusal(() => apply(store, nobody))).join()).toMatch(/no such person yet/)
    })
  })
})
