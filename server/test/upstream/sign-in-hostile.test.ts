/** What must sign nobody in: answers of other browsers, upstreams and times, and what an upstream may not say. */
import { expect, it } from 'vitest'
import { authorizeRequest, claimsOf, redirectUri } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startProvider } from '../harness/upstream-provider.ts'
import { acme, globex, placeOn, textOf } from './sign-in-support.ts'

onEachDatabase('answers of an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const groups = ['g']

  onOne.it('speaks for its domains alone', async () => {
    for (const email of ['somebody@globex.example', 'x@sub.acme.example', 'admin@elsewhere.example']) {
      const browser = place.browser()
      const left = await place.leave(browser, authorizeRequest().path, 'x@acme.example')
      const visit = await place.back(browser, left, {
        ...place.somebody(),
        groups,
        email,
        email_verified: true,
      })
      expect([visit.status, textOf(visit)], email).toEqual([
        403,
        expect.stringContaining('does not speak for'),
      ])
    }
    const { visit } = await place
      .signIn({ ...place.somebody(), email: 'x@acme.example' })
      .then(async ({ browser }) => ({
        visit: await place.back(
          browser,
          await place.leave(browser, authorizeRequest({ prompt: 'login' }).path, 'x@acme.example'),
          { sub: 'without-address' },
        ),
      }))
    expect(visit.status).toBe(403)
  })

  it('is no way in for who is disabled', async () => {
    const ada = { ...place.somebody(), groups }
    const uuid = String(claimsOf((await place.tokens(ada)).id_token).sub)
    await place.change(`/users/${uuid}`, { active: false })
    const { visit, browser } = await place.signIn(ada)
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('account is disabled')])
    expect(browser.cookies.has('tessera-session')).toBe(false)
  })

  it('counts once, in the browser that was sent, at the address of its upstream', async () => {
    const ada = { ...place.somebody(), groups }
    const [browser, request] = [place.browser(), authorizeRequest()]
    const url = place.brought(await place.leave(browser, request.path, ada.email), ada)
    // In another browser, with cookies of its own or none, it counts for nothing, and takes nothing away.
    const other = place.browser()
    expect((await other.open(url)).status).toBe(400)
    await other.open(authorizeRequest().path)
    expect((await other.open(url)).status).toBe(400)
    expect(other.cookies.has('tessera-session')).toBe(false)
    expect((await browser.open(url)).location).toMatch(redirectUri)
    expect((await browser.open(url)).status).toBe(400)
    // The same code under a new state.
    const left = await place.leave(browser, authorizeRequest({ prompt: 'login' }).path, ada.email)
    const replayed = new URL(url)
    replayed.searchParams.set('state', new URL(left.location ?? '').searchParams.get('state') ?? '')
    expect((await browser.open(replayed.href)).status).toBe(403)
  })

  it('is not mixed up between two upstreams', async () => {
    const evil = await startProvider()
    evil.now = place.provider.now
    const uuid = await place.addUpstream(evil, { code: 'evil', name: 'Evil', organisation_uuid: globex })
    const ada = { ...place.somebody(), groups }
    await place.tokens(ada)
    const browser = place.browser()
    const left = await place.leave(browser, authorizeRequest().path, ada.email)
    const url = place.brought(left, ada).replace(place.upstream, uuid)
    const visit = await browser.open(url)
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('Acme ID')])
    // The evil one says that it is the honest one, to which the browser was sent.
    const sent = await place.leave(browser, authorizeRequest().path, ada.email)
    evil.twists = { brought: (all) => all.set('iss', evil.issuer) }
    evil.person = ada
    const from = evil.authorise(sent.location ?? '').href
    const before = place.provider.count('/token')
    expect((await browser.open(from)).status).toBe(403)
    expect(place.provider.count('/token')).toBe(before)
    expect(browser.cookies.has('tessera-session')).toBe(false)
    await place.admin.delete(`/upstreams/${uuid}`)
    await evil.close()
  })

  it('does not count once the upstream or its organisation is disabled', async () => {
    const ada = { ...place.somebody(), groups }
    await place.tokens(ada)
    for (const path of [`/upstreams/${place.upstream}`, `/organisations/${acme}`]) {
      const browser = place.browser()
      const url = place.brought(await place.leave(browser, authorizeRequest().path, ada.email), ada)
      await place.change(path, { active: false })
      const visit = await browser.open(url)
      expect([visit.status, textOf(visit)], path).toEqual([403, expect.stringContaining('disabled')])
      expect(browser.cookies.has('tessera-session')).toBe(false)
      const page = await browser.open(authorizeRequest().path)
      expect(textOf(page)).not.toContain('your organisation')
      await place.change(path, { active: true })
    }
  })

  onOne.it('ends on a page that names the upstream, and tries nothing again', async () => {
    const ada = { ...place.somebody(), groups }
    const [browser, request] = [place.browser(), authorizeRequest()]
    const left = await place.leave(browser, request.path, ada.email)
    place.provider.twists = {
      brought: (all) => {
        all.delete('code')
        all.set('error', 'access_denied')
      },
    }
    const visit = await browser.open(place.brought(left, ada))
    place.provider.twists = {}
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('Acme ID')])
    expect(textOf(visit)).toContain('cancelled')
    const back = /href="(\/sign-in\?request=[^"]+)"/.exec(visit.body)?.[1] ?? ''
    const page = await browser.open(back)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/sign-in'])
    const again = await browser.submit(page, { email: ada.email, choice: 'organisation' })
    expect((await place.back(browser, again, ada)).location).toMatch(redirectUri)
    const [failed] = await place.audit({ kind: 'sign_in.failed', target: place.upstream })
    expect(failed?.organisation_uuid).toBe(acme)
    expect(JSON.stringify(await place.audit({}))).not.toMatch(/eyJ|code_verifier/)
  })
})
