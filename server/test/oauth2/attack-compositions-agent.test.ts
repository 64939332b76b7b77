/** An agent that is a document, its consent, and a service that acts for its people, together (decisions 29 and 31). */
import { expect, it } from 'vitest'
import { Administrator, administeredOn, profiles } from '../administration/support.ts'
import { answerOf, claimsOf, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { audiences, token, tokensOf } from '../harness/program.ts'
import { agentBody, asked } from './client-document-support.ts'
import { addExchanger, exchange, exchangerBody, must } from './exchange-support.ts'

const agent = 'https://agent.example/client'

onOneDatabase('an agent that asks for less', (dialect) => {
  const tessera = administeredOn(dialect)

  it('opens no more at a service where it may do little itself', async () => {
    const admin = await Administrator.machine(tessera.url)
    const acting = exchangerBody('submissions-tool', ['ledger'], ['ledger.entry.read'])
    const caller = await addExchanger(admin, acting)
    const exchanged = async (subject: string | undefined) =>
      claimsOf(String(must(await exchange(tessera.url, caller, subject), 200).json.access_token))
    must(await admin.post('/clients', agentBody(agent, ['submissions-tool', 'ledger'])), 201)
    const tokensAt = async (resource: string) => {
      const request = asked(agent, { profile_uuid: profiles.bothReader, resource })
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, request.path, people.both)
      const { code = '' } = answerOf(await browser.submit(page, { choice: 'allow' }))
      const { redirect_uri = '' } = request.parameters
      const form = { grant_type: 'authorization_code', client_id: agent, redirect_uri, code }
      return tokensOf(await token(tessera.url, { ...form, code_verifier: request.verifier }))
    }
    const narrow = await tokensAt(audiences.submissions)
    expect(await exchanged(narrow.access_token)).toMatchObject({ permissions: [] })
    expect(claimsOf((await tokensAt(audiences.ledger)).access_token)).toMatchObject({ permissions: [] })
    expect(await exchanged(narrow.access_token)).toMatchObject({ permissions: [] })
  })
})
