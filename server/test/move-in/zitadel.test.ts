import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const names = ['zitadel-export.json', 'zitadel-users.json', 'zitadel-apps.json']
const all = () => Object.fromEntries(names.map((one) => [one, exported(one)]))

describe('an export of ZITADEL', () => {
  it('gives each person once, with the hash of the export and the state of the search', async () => {
    const { people } = await moved('zitadel', all())
    expect(people).toEqual([
      {
        former_sub: '165617850692654601',
        email: 'ana@file.example',
        email_verified: true,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        preferred_username: 'ana',
        locale: 'de',
        password_hash: '$2a$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua',
        password_temporary: true,
        totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        profiles: [{ role: 'p1-clerk-p1-ghost', organisation: '104828' }],
      },
      expect.objectContaining({ former_sub: '165617850692654602', active: false, email_verified: false }),
      expect.objectContaining({ former_sub: '165617850692654603', active: false, email_verified: true }),
    ])
  })

  it('declares projects as services, and applications by their client_id', async () => {
    const { declared } = await moved('zitadel', all())
    expect(declared.organisations).toContainEqual(expect.objectContaining({ name: 'Acme' }))
    expect(declared.services).toEqual([expect.objectContaining({ name: 'Ledger' })])
    expect(declared.clients).toMatchObject([
      { client_id: '165617850692654700', type: 'web', redirect_uris: ['https://ledger.example/cb'] },
      { client_id: '165617850692654701@ledger', type: 'public', application_type: 'native', active: false },
    ])
  })

  it('tells what does not come along', async () => {
    const { report } = await moved('zitadel', all())
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*Google/),
        expect.stringMatching(/2\*\* × An entry of the people is not as ZITADEL writes it/),
        expect.stringMatching(/2\*\* × The account of a machine does not come along.*robot/),
        expect.stringMatching(/1\*\* × The export holds no secret of a client/),
        expect.stringMatching(/1\*\* × A client may use a grant.*implicit/),
        expect.stringMatching(/1\*\* × The search holds no hash of a password.*cem@/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/\$2a|JBSWY/)
  })

  it('says what the export alone does not', async () => {
    const { report } = await moved('zitadel', { x: exported('zitadel-export.json') })
    expect(report.join('\n')).toMatch(/does not say who is deactivated: add the answer of POST \/v2\/users/)
    expect(report.join('\n')).toMatch(/holds no client_id of an application.*Ledger web/)
  })

  it.each([
    ['an empty result', '{"details":{},"result":[]}', /Nothing in x is of ZITADEL/],
    ['an error', '{"code":16,"message":"auth header missing","details":[]}', /Nothing in x is of ZITADEL/],
    ['Logto', '[{"id":"1","primaryEmail":"a@b.example"}]', /looks like an export of Logto/],
    ['half an export', '{"orgs":[{"orgId":"1","org":{"name":"A"}', /ends in the middle/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('zitadel', { x: content })).rejects.toThrow(says)
  })
})
