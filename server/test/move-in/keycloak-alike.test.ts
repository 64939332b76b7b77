/** What a Keycloak tells apart, and its export hardly does. */
import { expect, it } from 'vitest'
import { moved } from './support.ts'

const person = (username: string, more: object) => ({
  ...{ username, email: `${username}@werk.test`, enabled: true },
  ...more,
})
const ofRealm = async (more: object) =>
  await moved('keycloak', { 'realm.json': JSON.stringify({ realm: 'werk', ...more }) })
const roles = (...names: string[]) => ({ realm: names.map((name) => ({ name })), client: {} })

it('gives nothing by a path that two groups have', async () => {
  const { people, declared, report } = await ofRealm({
    roles: roles('above', 'below', 'slash', 'inner'),
    groups: [
      {
        ...{ name: 'A', path: '/A', realmRoles: ['above'] },
        subGroups: [
          {
            ...{ name: 'B', path: '/A/B', realmRoles: ['below'] },
            subGroups: [{ name: 'C', path: '/A/B/C', realmRoles: ['inner'] }],
          },
        ],
      },
      { name: 'A/B', path: '/A/B', realmRoles: ['slash'] },
    ],
    users: [person('either', { groups: ['/A/B'] }), person('inside', { groups: ['/A/B/C'] })],
  })
  const given = people.map(({ profiles }) => {
    const [{ role }] = profiles as [{ role: string }]
    return declared.roles.find((one) => one.code === role)?.permissions
  })
  expect(given).toEqual([[], ['werk.role.above', 'werk.role.below', 'werk.role.inner']])
  expect(report).toContainEqual(expect.stringMatching(/^- \*\*2\*\* × Groups have the same path.*`\/A\/B`/))
})

const app = (clientId: string, more: object) => ({
  ...{ clientId, publicClient: true, standardFlowEnabled: true, redirectUris: ['https://a.test/cb'] },
  ...more,
})

it('says that an application of every origin is one of none here, and one with subjects of its own', async () => {
  const { report } = await ofRealm({
    clients: [
      app('spa', { webOrigins: ['*'] }),
      app('pair', {
        protocolMappers: [{ name: 'sub', protocolMapper: 'oidc-sha256-pairwise-sub-mapper', config: {} }],
      }),
    ],
  })
  expect(report).toContainEqual(expect.stringMatching(/every origin.*`spa`/))
  expect(report).toContainEqual(expect.stringMatching(/pairwise.*`pair`/))
})

it("keeps a role that was added to one of Keycloak's own clients", async () => {
  const own = { name: 'view-profile', description: '${role_view-profile}' }
  const { declared } = await ofRealm({
    roles: { realm: [], client: { account: [own, { name: 'added' }] } },
    clients: [app('account', {})],
    users: [person('holder', { clientRoles: { account: ['view-profile', 'added'] } })],
  })
  expect(declared.roles).toMatchObject([{ permissions: ['account.role.added'] }])
})

it('leaves nobody behind for a name', async () => {
  const { people, report } = await ofRealm({
    users: [
      person('long', { firstName: 'A'.repeat(150), lastName: 'B'.repeat(150) }),
      person('tab', { firstName: 'Ta\tb', lastName: 'Zeile' }),
      person('l'.repeat(255), { email: 'l@werk.test' }),
    ],
  })
  expect(people).toMatchObject([
    { name: 'long', given_name: 'A'.repeat(150), family_name: 'B'.repeat(150) },
    { name: 'tab', family_name: 'Zeile', preferred_username: 'tab' },
    { name: 'l@werk.test' },
  ])
  expect(people[1]).not.toHaveProperty('given_name')
  expect(people[2]).not.toHaveProperty('preferred_username')
  expect(report).toContainEqual(expect.stringMatching(/^- \*\*3\*\* × A name of somebody.*`tab`/))
})
