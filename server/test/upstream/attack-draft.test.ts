/** Who holds a set-up link is anybody, and chooses what is asked from here. */
import { expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { invitingOn } from './invitation-support.ts'
import { textOf } from './sign-in-support.ts'

onOneDatabase('a trial of what was entered by a set-up link', (dialect) => {
  const place = invitingOn(dialect)

  it('tells nothing of what can be reached from here', async () => {
    const link = await place.invite()
    const browser = await place.begin(link)
    place.provider.twists = { documents: { token_endpoint: 'http://127.0.0.1:9/token' } }
    await place.enterOidc(browser)
    const left = await browser.submit(await place.step(browser, 'trial'))
    const outcome = textOf(await place.back(browser, left, { sub: 'ada', email: 'ada@acme.example' }))
    place.provider.twists = {}
    expect(outcome).toContain('unreachable')
    expect(outcome).not.toContain('ECONNREFUSED')
  })
})
