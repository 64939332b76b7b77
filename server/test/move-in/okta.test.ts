import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const all = () =>
  Object.fromEntries(
    ['okta-users.json', 'okta-groups.json', 'editors.group.json', 'okta-apps.json'].map((one) => [
      one,
      exported(one),
    ]),
  )

describe('an export of Okta', () => {
  it('gives people with their groups, and puts a bcrypt hash together', async () => {
    const { people } = await moved('okta', all())
    expect(people).toEqual([
      {
        former_sub: '00u1abcdefghijKLMN0h7',
        email: 'ana@file.example',
        email_verified: false,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        locale: 'de-DE',
        zoneinfo: 'Europe/Berlin',
        profiles: [{ role: 'editors', organisation: 'okta' }],
      },
      expect.objectContaining({ former_sub: '00u2', preferred_username: 'ben', active: false }),
      expect.objectContaining({
        former_sub: '00u3',
        password_hash: '$2a$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua',
        password_temporary: true,
      }),
    ])
  })

  it('declares its applications that speak OpenID Connect', async () => {
    const { declared } = await moved('okta', all())
    expect(declared.clients).toMatchObject([
      { client_id: '0oa1gjh63g214q0Hq0g4', type: 'web', client_name: 'Ledger' },
      { client_id: '0oa2', type: 'machine', active: false },
    ])
    expect(declared.clients[0]).not.toHaveProperty('first_party')
  })

  it('tells what does not come along', async () => {
    const { report } = await moved('okta', all())
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × Okta does not tell whose address is verified.*4 people/),
        expect.stringMatching(/1\*\* × Okta hands out no hash of a password.*ana@/),
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*corp\.example/),
        expect.stringMatching(/1\*\* × An entry of the people is not as Okta writes it.*entry 4/),
        expect.stringMatching(/1\*\* × An entry is nothing of Okta.*okta-apps\.json, entry 3/),
        expect.stringMatching(/1\*\* × A client proves itself by keys that the export does not hold.*0oa2/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/2n7Hxkc|01234567/)
  })

  it('is CSV of the console', async () => {
    const { people } = await moved('okta', { 'people.csv': exported('okta.csv') })
    expect(people).toMatchObject([{ email: 'ok1@file.example', name: 'Ana Ruiz' }])
    expect(people[0]).not.toHaveProperty('former_sub')
  })

  it.each([
    [
      'the answer of an error',
      '{"errorCode":"E0000011","errorSummary":"Invalid token provided"}',
      /Nothing in x/,
    ],
    ['Kratos', '[{"id":"1","traits":{}}]', /looks like an export of Ory/],
    ['people without a state', '[{"id":"1","profile":{"login":"a"}}]', /Nothing in x is of Okta/],
    ['an empty file', ' \n', /It is empty/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('okta', { x: content })).rejects.toThrow(says)
  })
})
