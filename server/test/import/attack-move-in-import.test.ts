/** What a row of an import gives together with what limited administrators, passkeys and links do. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn } from '../administration/support.ts'
import { tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { cleanUp } from '../harness/process.ts'
import { refresh } from '../harness/program.ts'
import { auditOf, usersOf } from '../harness/states.ts'
import { importText, lines, password, password_hash } from './support.ts'

afterAll(cleanUp)

const profiles = [{ role: 'importer', organisation: 'acme' }]
const known = 'a password that they know'

onEachDatabase('an import beside those who help', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  let everything: Administrator
  let helpDesk: Administrator
  beforeAll(async () => {
    everything = await Administrator.machine(tessera.url)
    helpDesk = await Administrator.machine(tessera.url, 'acme-cli')
  })
  const row = (email: string, more: object = {}) => ({ email, name: 'Own', password_hash, profiles, ...more })
  const ofEmail = async (email: string) => (await usersOf(tessera)).find((one) => one.email === email)

  it('ends the tokens of the planted account that it replaces', async () => {
    const email = 'tokens@helped.example'
    const given = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = await helpDesk.post('/users', { email, name: 'Planted', password: known, profiles: given })
    expect(made.status).toBe(201)
    const tokens = await tokensFor(tessera.url, { email, password: known })
    expect(await importText(tessera, lines([row(email)]))).toMatchObject({ replaced: 1 })
    const again = await refresh(tessera.url, String(tokens.refresh_token))
    expect(again.status).toBe(400)
    expect(again.json).toMatchObject({ error: 'invalid_grant' })
  })

  it('does not remove somebody whom a help desk gave another password', async () => {
    const email = 'moved@helped.example'
    const first = row(email, { former_sub: 'auth0|1', email_verified: true })
    expect(await importText(tessera, lines([first]))).toMatchObject({ imported: 1 })
    const before = await ofEmail(email)
    await tokensFor(tessera.url, { email, password })
    const uuid = String(before?.uuid)
    const reset = await helpDesk.patch(`/users/${uuid}`, { password: known })
    expect(reset.status, JSON.stringify(reset.json)).toBe(200)
    // The export of the weekend says more of them than that of the rehearsal.
    const final = row(email, { former_sub: 'auth0|1', email_verified: true, given_name: 'Own' })
    expect(await importText(tessera, lines([final]), { dryRun: true })).toMatchObject({ replaced: 0 })
    await importText(tessera, lines([final]))
    expect((await ofEmail(email))?.uuid).toBe(uuid)
    expect(await auditOf(tessera, { user: uuid, kind: 'user.removed' })).toEqual([])
    expect((await everything.get(`/users/${uuid}`)).status).toBe(200)
  })

  it('says of somebody who was disabled there since the rehearsal that they are active here', async () => {
    const email = 'dismissed@helped.example'
    await importText(tessera, lines([row(email)]))
    const done = await importText(tessera, lines([row(email, { active: false })]))
    const isActive = (await ofEmail(email))?.active === 1
    const told = done.refused.map((refused) => refused.reasons).join(' ')
    expect(isActive && !/active|disabled/.test(told)).toBe(false)
  })
})
