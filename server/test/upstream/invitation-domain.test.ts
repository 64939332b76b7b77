/** What the guide of a set-up link says where no domain is proved, and of groups at each provider. */
import { expect, it } from 'vitest'
import { runHere } from '../cli/command-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { invitingOn } from './invitation-support.ts'
import { acme, globex, textOf } from './sign-in-support.ts'

onOneDatabase('the guide of a set-up link', (dialect) => {
  const place = invitingOn(dialect)
  const without = 'Hand it in without a proved domain'
  const finish = async (browser: Awaited<ReturnType<typeof place.begin>>) =>
    textOf(await browser.open('/connect/finish'))

  it('says what follows where no domain is proved, and lets go on', async () => {
    const link = await place.invite()
    const browser = await place.begin(link)
    expect(await finish(browser)).not.toContain(without)
    await place.enterOidc(browser)
    const page = await finish(browser)
    expect(page).toContain('no address of your people counts')
    expect(page).toContain(without)
    expect(page).toContain('Provider Keycloak')
    await place.enterDomain(browser, 'acme.example')
    expect(await finish(browser)).toContain(without)
    await place.step(browser, 'domain', { choice: 'look' })
    expect(await finish(browser)).not.toContain(without)
    // Another one is not proved yet.
    await place.enterDomain(browser, 'other.example')
    expect(await finish(browser)).toContain(without)
    expect(textOf(await place.step(browser, 'finish'))).toContain('It is handed in')
    const environment = {
      TESSERA_DATABASE_URL: place.tessera.databaseUrl,
      TESSERA_ISSUER: place.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    }
    const shown = await runHere(['upstream', 'invitation', link.uuid], { environment })
    expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining('no address')])
  })

  it('does not ask for a domain where the organisation has one', async () => {
    await place.make('/domains', { name: 'globex.example', organisation_uuid: globex, given: true })
    const browser = await place.begin(await place.invite(globex))
    await place.enterOidc(browser)
    expect(await finish(browser)).not.toContain(without)
    const other = await place.begin(await place.invite(acme))
    await place.enterOidc(other)
    expect(await finish(other)).toContain(without)
  })

  it('says where each provider is told to send groups', async () => {
    const browser = await place.begin(await place.invite())
    const said = async (provider: string) => {
      await place.step(browser, 'provider', { provider })
      return textOf(await browser.open('/connect/values'))
    }
    expect(await said('keycloak')).toMatch(/Group Membership.*Full group path: Off/)
    expect(await said('keycloak-saml')).toMatch(/as a file.*role_list.*Group list.*Full group path: Off/)
    expect(await said('entra')).toContain('Group ID')
    expect(await said('okta')).toContain('Groups claim')
    expect(await said('google')).toContain('Google Workspace sends no groups.')
    expect(await said('oidc')).not.toContain('Set there:')
  })
})
