import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

describe('an export of Firebase', () => {
  it('gives hashes with their salt, and custom claims as attributes that nobody edits', async () => {
    const { people, report, mapping } = await moved('firebase', { 'people.json': exported('firebase.json') })
    expect(people).toEqual([
      {
        former_sub: 'x1abcDEF',
        email: 'fb1@file.example',
        email_verified: true,
        name: 'F B',
        picture: 'https://pictures.example/fb.png',
        password_hash: {
          passwordHash:
            '3TF8kcdEmp9CvNmsKcILH3q2v0780Q8GBFs4166iT7b8AANJ7w2kuUgGRb9MPvgAa8MexcuZtIdWmVaiasN/VQ==',
          salt: '7nFVke8YYjRmDQ==',
        },
        profiles: [{ role: 'member', organisation: 'firebase' }],
      },
      expect.objectContaining({ email: 'fb2@file.example', active: false, enrolment_required: true }),
    ])
    expect(mapping).toMatch(/admin:\n {4}editable_by_people: no\n {2}team:\n {4}editable_by_people: no/)
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × The hashes need the parameters of the project.*--firebase-key/),
        expect.stringMatching(
          /1\*\* × Somebody signs in through another provider.*fb2@file.example: google.com/,
        ),
        expect.stringMatching(/1\*\* × A second factor does not come along.*fb2/),
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*x3/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/3TF8|7nFV/)
  })

  it('is CSV without names of columns, of this version and of earlier ones', async () => {
    const { people, report } = await moved('firebase', { 'people.csv': exported('firebase.csv') })
    expect(people).toMatchObject([
      { name: 'B, F', email_verified: true, password_hash: { salt: 'Ie7CznK0eIut7w==' } },
      { former_sub: 'x2', active: false },
    ])
    expect(report.join('\n')).toContain('fb2@file.example: github.com')
    const earlier =
      'x1,a@file.example,true,aGFzaA==,c2FsdA==,A,,,,,,,,,,,,,,,,,,1486324027000,1486324027000,,\n'
    expect((await moved('firebase', { 'people.csv': earlier })).people).toMatchObject([{ former_sub: 'x1' }])
  })

  it('gives a profile by a custom claim where the mapping says so, and never iam', async () => {
    const files = { 'people.json': exported('firebase.json') }
    const { people, declared } = await moved('firebase', files, {
      mapping:
        'attributes:\n  team: {editable_by_people: no, profiles: {north: {role: northern, organisation: acme}}}\n',
    })
    expect(people[0]?.profiles).toContainEqual({ role: 'northern', organisation: 'acme' })
    expect(declared.roles.flatMap((one) => one.permissions)).toEqual([])
  })

  it.each([
    ['a number for a name', '{"users":[{"localId":7,"email":"a@b.example"}]}', /Nothing in x is of Firebase/],
    ['Auth0', '{"user_id":"auth0|1","email":"a@b.example","identities":[]}', /looks like an export of Auth0/],
    ['nobody', '{"users":[]}', /Nothing in x is of Firebase/],
    ['half of it', '{"users":[{"localId":"1"},', /ends in the middle/],
    ['two documents', '{"users":[]}\n{"users":[]}', /more than one document|Nothing in x/],
    ['what is no table', 'hello', /Nothing in x is of Firebase/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('firebase', { x: content })).rejects.toThrow(says)
  })

  it('leaves out whom it can not tell to be disabled, and rows with stray quotes', async () => {
    const { people, report } = await moved('firebase', {
      'a.json': '{"users":[{"localId":"1","email":"a@file.example","disabled":"perhaps"},{"localId":"2"}]}',
      'b.csv': `x1,a@file.example,true,,,Say "hi",${','.repeat(21)}\nx2,b@file.example,true,,,B,${','.repeat(21)}\n`,
    })
    expect(people.map((one) => one.email)).toEqual(['b@file.example'])
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /1\*\* × An entry of the people is not as Firebase writes it.*a\.json, entry 1/,
        ),
        expect.stringMatching(/1\*\* × An entry can not be read, and is left out\. A quote.*b\.csv, line 1/),
      ]),
    )
  })
})
