import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const all = () => ({ 'people.ldif': exported('people.ldif') })
const ana = 'dn: uid=ana,dc=x\nuid: ana\nmail: ana@file.example\n'

describe('LDIF', () => {
  it('gives people with folded and encoded values, and the groups that they are in', async () => {
    const { people, declared } = await moved('ldif', all())
    expect(people).toEqual([
      {
        uuid: '5f2f3c1e-8d0c-4f6b-9a53-0d9d4f3c2b1a',
        email: 'ana@file.example',
        email_verified: false,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        preferred_username: 'ana',
        locale: 'de',
        password_hash: expect.stringMatching(/^\{SSHA512\}/),
        password_temporary: true,
        profiles: [{ role: 'editors', organisation: 'acme-example' }],
      },
      expect.objectContaining({ email: 'ben@file.example', active: false }),
    ])
    expect(people[1]).not.toHaveProperty('password_hash')
    const code = ((people[1]?.profiles ?? []) as { role: string }[])[0]?.role
    const permissions = (name: string) => declared.roles.find((one) => one.code === name)?.permissions
    expect(permissions('editors')).toEqual(['acme-example.role.editors', 'acme-example.role.staff'])
    expect(permissions(code ?? '')).toContain('acme-example.role.shell')
  })

  it('tells what is left out, and no password', async () => {
    const { report } = await moved('ldif', all())
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/2\*\* × A password is not hashed, or is checked elsewhere/),
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*cem/),
        expect.stringMatching(/1\*\* × An entry can not be read.*in another file \(:<\).*line 45/),
        expect.stringMatching(/1\*\* × A directory does not tell whose address is verified/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/letmein|SSHA|AAAA|passwd/)
  })

  it('reads Active Directory: objectGUID, disabled accounts, and line ends of Windows', async () => {
    const { people } = await moved('ldif', {
      x: `${[
        'dn: CN=Ana,OU=Staff,DC=corp,DC=example',
        'objectClass: user',
        'sAMAccountName: ana',
        'mail: ana@file.example',
        'objectGUID:: HjwvXwyna0+aUw2dTzwrGg==',
        'userAccountControl: 514',
        'memberOf: CN=Staff\\, North,OU=Groups,DC=corp,DC=example',
      ].join('\r\n')}\r\n`,
    })
    expect(people).toMatchObject([
      { uuid: '5f2f3c1e-a70c-4f6b-9a53-0d9d4f3c2b1a', active: false, preferred_username: 'ana' },
    ])
  })

  it('holds with groups within one another in a circle, and names that two groups have', async () => {
    const { people, declared } = await moved('ldif', {
      x: `${ana}\ndn: cn=a,ou=1,dc=x\nobjectClass: groupOfNames\nmember: cn=b,ou=1,dc=x\nmember: uid=ana,dc=x\n\ndn: cn=b,ou=1,dc=x\nobjectClass: groupOfNames\nmember: cn=a,ou=1,dc=x\n\ndn: cn=a,ou=2,dc=x\nobjectClass: groupOfNames\nmember: uid=ana,dc=x\n`,
    })
    expect(people).toHaveLength(1)
    expect(declared.roles).toHaveLength(1)
    expect(declared.roles[0]?.permissions).toHaveLength(3)
  })

  it.each([
    ['nothing', '', /It is empty/],
    ['JSON', '{"users":[]}', /x: It is no LDIF/],
    ['changes', `dn: uid=a,dc=x\nchangetype: add\nuid: a\nmail: a@b.example\n`, /x: It holds changes/],
    ['groups alone', 'dn: cn=g,dc=x\nobjectClass: groupOfNames\nmember: uid=a,dc=x\n', /Nobody is in x/],
    ['a line without end', `dn: uid=a,dc=x\nuid: ${'a'.repeat(4_000_000)}`, /longer than any row/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('ldif', { x: content })).rejects.toThrow(says)
  })

  it.each([
    ['no base64', `dn: uid=b,dc=x\nmail:: @@@\n\n${ana}`],
    ['no UTF-8', Buffer.from(`dn: uid=b,dc=x\nmail: b@file.example\ncn: \xE4\n\n${ana}`, 'latin1')],
    ['two names', `dn: uid=b,dc=x\ndn: uid=c,dc=x\nmail: b@file.example\n\n${ana}`],
    ['no name', `version: 1\n\nmail: b@file.example\n\n${ana}`],
    ['no colon', `dn: uid=b,dc=x\nmail b@file.example\n\n${ana}`],
    [
      'a value of 2 MiB',
      `dn: uid=b,dc=x\nmail: b@file.example\ncn: ${`${'a'.repeat(20)}\n `.repeat(105_000)}\n\n${ana}`,
    ],
  ])('leaves out an entry with %s, and goes on', async (_, content) => {
    const { people, report } = await moved('ldif', { x: content })
    expect(people.map((one) => one.email)).toEqual(['ana@file.example'])
    expect(report.join('\n')).toMatch(/1\*\* × An entry can not be read, and is left out/)
  })
})
