import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const all = () =>
  Object.fromEntries(
    ['cognito-users.json', 'cognito-groups.json', 'admins.group.json', 'cognito-client.json'].map((one) => [
      one,
      exported(one),
    ]),
  )

describe('an export of Cognito', () => {
  it('keeps the sub of people and the groups that a file of its own lists', async () => {
    const { people, declared } = await moved('cognito', all())
    expect(people).toEqual([
      {
        uuid: '5f2f3c1e-8d0c-4f6b-9a53-0d9d4f3c2b1a',
        email: 'ana@file.example',
        email_verified: true,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        preferred_username: 'ana',
        profiles: [{ role: 'admins', organisation: 'eu-central-1-abcdef' }],
      },
      expect.objectContaining({ email: 'ben@file.example', email_verified: false }),
      expect.objectContaining({ email: 'cem@file.example', active: false, enrolment_required: true }),
    ])
    expect(declared.roles.map((one) => one.code)).toEqual(['member', 'admins'])
    expect(declared.clients).toEqual([
      expect.objectContaining({
        client_id: '1example23456789abcdefghij',
        type: 'web',
        client_secret_hash: expect.stringMatching(/^sha256:/),
        redirect_uris: ['https://shop.example/cb'],
      }),
    ])
  })

  it('says that nobody gets the passwords, and what to do', async () => {
    const { report } = await moved('cognito', all())
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × Cognito hands out no hashes of passwords.*mailed link.*5 people/),
        expect.stringMatching(/2\*\* × Somebody gets a mailed link/),
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*Google/),
        expect.stringMatching(/1\*\* × An entry of the people is not as Cognito writes it.*entry 4/),
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*eva/),
        expect.stringMatching(/1\*\* × A temporary password does not come along/),
        expect.stringMatching(/1\*\* × A second factor does not come along.*SMS_MFA/),
        expect.stringMatching(/1\*\* × A client may use a grant.*implicit/),
        expect.stringMatching(/1\*\* × A redirect URI is not taken here.*http:/),
        expect.stringMatching(/1\*\* × People can edit an attribute.*custom:tenant/),
      ]),
    )
    expect(report.join('\n')).not.toContain('9example')
  })

  it('is CSV under the names of the import, and says which groups have no members', async () => {
    const { people, report } = await moved('cognito', {
      'people.csv': exported('cognito.csv'),
      'groups.json': exported('cognito-groups.json'),
    })
    expect(people).toMatchObject([{ former_sub: 'u1', email: 'cg1@file.example', email_verified: true }])
    expect(report.join('\n')).toMatch(/No file says who is in a group.*admins, idle/)
  })

  it.each([
    ['an empty list', '{"Users":[]}', /Nothing in x is of Cognito/],
    ['Okta', '[{"id":"1","status":"ACTIVE","profile":{}}]', /looks like an export of Okta/],
    ['attributes in another shape alone', '{"Users":{"Username":"a"}}', /Nothing in x is of Cognito/],
    ['text', 'a,b\n1,2\n', /Nothing in x is of Cognito/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('cognito', { x: content })).rejects.toThrow(says)
  })

  it('goes on with attributes of any name', async () => {
    const { people } = await moved('cognito', {
      x: '{"Users":[{"Username":"__proto__","Attributes":[{"Name":"__proto__","Value":"x"},{"Name":"email","Value":"p@file.example"},{"Name":5}]},{"Username":"q","Attributes":[{"Name":"email","Value":"q@file.example"},{"Name":"constructor","Value":"x"}]}]}',
    })
    expect(people.map((one) => one.email)).toEqual(['q@file.example'])
  })
})
