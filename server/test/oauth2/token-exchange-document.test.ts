/** An agent that is a document, a service that acts for its people, and administrators of an organisation, together. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  ownerOf,
  problemOf,
  profiles,
} from '../administration/support.ts'
import { answerOf, claimsOf, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { introspect, refusalOf, token, tokensOf } from '../harness/program.ts'
import { agentBody, asked, type Asked } from './client-document-support.ts'
import { addExchanger, audienceOf, type Caller, exchange, exchangerBody, must } from './exchange-support.ts'

const agent = 'https://agent.example/client'
const read = 'ledger.entry.read'

onOneDatabase('an agent that is a document', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let caller: Caller
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    must(await admin.post('/clients', agentBody(agent, ['submissions-tool'])), 201)
    caller = await addExchanger(admin, {
      ...exchangerBody('submissions-tool', ['ledger'], [read]),
      organisation_uuid: acme,
    })
  })

  async function tokensBy(request: Asked) {
    const browser = new TestBrowser(tessera.url)
    const page = await signIn(browser, request.path, people.both)
    const { code } = answerOf(await browser.submit(page, { choice: 'allow' }))
    const form = {
      grant_type: 'authorization_code',
      client_id: agent,
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: code ?? '',
      code_verifier: request.verifier,
    }
    return { page, tokens: tokensOf(await token(tessera.url, form)) }
  }

  it('is acted for as its page says, in the organisation of the service alone', async () => {
    const { page, tokens } = await tokensBy(asked(agent, { profile_uuid: profiles.bothReader }))
    expect(page.body).toContain('Read entries')
    const made = String(must(await exchange(tessera.url, caller, tokens.access_token), 200).json.access_token)
    expect(claimsOf(made)).toMatchObject({
      aud: audienceOf['ledger'],
      permissions: [read],
      act: { sub: caller.client_id },
    })
    // The document client exchanges nothing itself, nor passes its own token for the new one.
    const itself = { client_id: agent, client_secret: undefined }
    expect(refusalOf(await exchange(tessera.url, caller, tokens.access_token, itself))).toBe(
      '400 unauthorized_client',
    )
    expect(refusalOf(await exchange(tessera.url, caller, made))).toBe('400 invalid_request')
    const elsewhere = await tokensBy(asked(agent, { profile_uuid: profiles.bothBookkeeper }))
    expect(refusalOf(await exchange(tessera.url, caller, elsewhere.tokens.access_token))).toBe(
      '400 invalid_request',
    )
  })

  it('is not led further by who administers that organisation', async () => {
    const owner = await ownerOf(tessera.url, admin)
    const path = `/clients/${caller.client_id}`
    const create = { exchange: { services: ['ledger'], permissions: [read, 'ledger.entry.create'] } }
    expect(problemOf(await owner.patch(path, create))).toMatch(/^403 /)
    expect(problemOf(await owner.patch(path, { acts_as: 'vault' }))).toMatch(/^403 /)
    expect(problemOf(await owner.patch(path, { organisation_uuid: null }))).toMatch(/^403 /)
    const { tokens } = await tokensBy(asked(agent, { profile_uuid: profiles.bothReader }))
    const made = String(must(await exchange(tessera.url, caller, tokens.access_token), 200).json.access_token)
    must(await owner.patch(path, { exchange: { services: ['ledger'], permissions: [] } }), 200)
    expect(await introspect(tessera.url, made, caller)).toMatchObject({ active: true, permissions: [] })
  })
})
