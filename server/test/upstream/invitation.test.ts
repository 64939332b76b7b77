/** An organisation sets up its sign-in itself, by a link that opens nothing else. */
import { expect, it } from 'vitest'
import { openedUpstream } from '../../dist/keys/upstream-secret.js'
import { runHere } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { draftRowsOf } from '../harness/states.ts'
import { invitingOn, path } from './invitation-support.ts'
import { acme, textOf } from './sign-in-support.ts'

onEachDatabase('a set-up link', (dialect) => {
  const place = invitingOn(dialect)
  const scim = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${place.url}/scim/v2/Users`, { headers })).status
  }

  it('leads through the guide, and what is confirmed counts', async () => {
    const link = await place.invite()
    const browser = place.browser()
    const welcome = await browser.open(link.address)
    expect(welcome.url).toBe(`${place.url}/connect`)
    expect(textOf(welcome)).toContain('Connect Acme')
    expect(textOf(await browser.submit(welcome))).toContain('Choose your provider')
    expect(textOf(await place.enterOidc(browser))).toContain('It was checked, and is kept.')
    await place.enterDomain(browser, 'acme.example')
    expect(textOf(await place.step(browser, 'domain', { choice: 'look' }))).toContain('The record is there.')
    const token = /<code translate="no">([\w-]{43})</.exec(
      (await place.step(browser, 'provisioning')).body,
    )?.[1]
    expect(await scim(token ?? '')).toBe(401)
    const { upstream } = (await place.read(link)).entry as { upstream: { uuid: string } }
    expect((await browser.open('/connect/values')).body).toContain(`/upstreams/${upstream.uuid}/logout`)
    expect(await place.read(link)).toMatchObject({
      state: 'open',
      entry: {
        domain: { name: 'acme.example', found_at: expect.any(String) },
        upstream: { provider: 'keycloak', issuer: place.provider.issuer, client_secret: true },
        directory: { code: 'scim' },
      },
    })
    expect(JSON.stringify(await place.read(link))).not.toContain(place.provider.clientSecret)
    expect(textOf(await place.step(browser, 'finish'))).toContain('It is handed in')
    expect((await browser.open('/connect')).status).toBe(400)
    // Nothing counts before it is confirmed.
    expect(await place.admin.all('/upstreams')).toEqual([])
    expect(await place.admin.all('/domains')).toEqual([])
    expect(await scim(token ?? '')).toBe(401)

    const tried = await place.admin.post(`${path}/${link.uuid}/confirm?dry_run=true`, {
      entry_hash: (await place.read(link)).entry_hash,
    })
    expect([tried.status, tried.json.dry_run], tried.text).toEqual([200, true])
    expect(await place.admin.all('/upstreams')).toEqual([])
    const { status, json, text } = await place.confirm(link)
    expect(status, text).toBe(200)
    expect(json).toMatchObject({ state: 'confirmed', made: { upstream: upstream.uuid } })
    expect(await place.admin.all('/domains')).toMatchObject([{ name: 'acme.example', holds: true }])
    expect(await place.admin.all('/upstreams')).toMatchObject([
      { uuid: upstream.uuid, code: 'keycloak', organisation_uuid: acme, client_secret: true, active: true },
    ])
    expect(await scim(token ?? '')).toBe(200)
    const person = place.somebody()
    await place.account(person)
    await place.tokens(person)
    const audit = await place.audit({ target: link.uuid })
    expect(audit.map((one) => one.kind)).toEqual([
      'upstream_invitation.created',
      'upstream_invitation.opened',
      ...Array.from({ length: 5 }, () => 'upstream_invitation.entered'),
      'upstream_invitation.handed_in',
      'upstream_invitation.confirmed',
    ])
  })

  it('is made, listed, confirmed and withdrawn by the command, and its secrets are encrypted anew', async () => {
    const environment = {
      TESSERA_DATABASE_URL: place.tessera.databaseUrl,
      TESSERA_ISSUER: place.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    }
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runHere(['upstream', ...words], { environment })
      expect([code, stderr.replace(/^The link is shown.*\n/, '')], `${words.join(' ')} ${stdout}`).toEqual([
        0,
        '',
      ])
      return stdout
    }
    const { uuid, address } = JSON.parse(await run('invite', 'globex', '--json')) as Record<string, string>
    const link = { uuid: uuid ?? '', address: address ?? '' }
    const browser = await place.begin(link)
    await place.enterOidc(browser)
    const next = 'another-secret-of-the-tests-9876543210'
    await place.step(browser, 'finish')
    expect(await run('invitations', '--organisation', 'globex')).toContain(link.uuid)
    const { entry_hash } = JSON.parse(await run('invitation', link.uuid, '--json')) as { entry_hash: string }
    expect(await run('confirm', link.uuid, '--entry-hash', entry_hash)).toContain('confirmed')
    const other = JSON.parse(await run('invite', 'globex', '--json')) as { uuid: string; address: string }
    await place.enterOidc(await place.begin(other))
    const keys = { ...environment, TESSERA_SECRET: next, TESSERA_SECRET_PREVIOUS: environment.TESSERA_SECRET }
    expect((await runHere(['keys', 'reencrypt'], { environment: keys })).code).toBe(0)
    environment.TESSERA_SECRET = next
    const draft = (await draftRowsOf(place.tessera)).find((row) => row.uuid === other.uuid)
    const kept = { uuid: draft?.upstream_uuid ?? '', of: 'secret', stored: draft?.secret ?? '' } as const
    expect(openedUpstream(kept, [next])).toBe(place.provider.clientSecret)
    expect(await run('withdraw', other.uuid, '--yes')).toContain('withdrawn')
    const left = await draftRowsOf(place.tessera)
    expect(left.filter((row) => row.secret !== null || row.private_key !== null)).toEqual([])
  })
})
