import { expect, it } from 'vitest'
import { describePlan } from '../../dist/declared/describe.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { emptyPlan, planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { applyDeclared } from '../../dist/declared/apply.js'
import { acme, edited, forEachDatabase, parse, refusal } from './support.ts'
import { quickPasswords } from './tree.ts'

const plan = (store: Store, text: string, prune = false) =>
  planDeclared(store, parse(text), { now: 2_000, prune, ...quickPasswords })

const apply = (store: Store, text: string, now = 1_000) =>
  applyDeclared(store, parse(text), { now, ...quickPasswords })

const github = 'https://token.actions.githubusercontent.com'
const cluster = 'https://kubernetes.default.svc.cluster.local'
const issuers = `assertion_issuers:
  - issuer: ${github}
  - {issuer: ${cluster}, max_lifetime: 7200, organisations: [acme]}
`
const head = 'clients:\n'
const job = (federated: string, more = '') => `clients:
  - client_id: deploy
    client_name: Deploy
    type: machine
    federated: ${federated}
    services: [submissions-tool]
${more}`
const byBranch = `{issuer: "${github}", claims: {ref: refs/heads/main, repository_id: "456789"}}`
const byRepository = `{issuer: "${github}", claims: {repository_id: "456789"}}`
const orders = (subject: string) => `{issuer: "${cluster}", subject: "system:serviceaccount:${subject}"}`
const file = (federated: string, more = '', listed = issuers) =>
  listed + edited(acme, [head, job(federated, more)])

/** Issuers in a declared file whose tokens prove clients. */
forEachDatabase((openEmptyStore) => {
  it('tells in the plan who exactly may, and where that is more than it looks', async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    const planned = await plan(store, file(byBranch))
    const who = `whoever gets a token of ${github} in which ref is "refs/heads/main" and repository_id is "456789"`
    expect(planned.proves).toEqual([{ client_id: 'deploy', who, beware: [] }])
    expect(describePlan(planned)).toContain(`Who proves to be a client changes\n  client deploy: ${who}\n`)
    await apply(store, file(byBranch))
    expect(await plan(store, file(byBranch))).toEqual(emptyPlan())
    // The order of claims is none.
    const turned = byBranch.replace(/ref: \S+, (repository_id: "456789")/, '$1, ref: refs/heads/main')
    expect(await plan(store, file(turned))).toEqual(emptyPlan())
    const wider = await plan(store, file(byRepository))
    expect(wider.proves?.[0]?.beware).toEqual([
      'Every branch and every pull request of the repository may: name a ref or an environment.',
    ])
    expect(describePlan(wider)).toContain('      Every branch and every pull request of the repository may')
    // Other keys may prove somebody else; without an issuer nobody is left.
    const moved = issuers.replace(
      `- issuer: ${github}`,
      `- {issuer: ${github}, jwks_uri: https://evil.example/jwks}`,
    )
    expect((await plan(store, file(byBranch, '', moved))).proves).toEqual([
      { client_id: 'deploy', who, beware: [] },
    ])
    const none = edited(acme, [head, job(byBranch, '    active: false\n')])
    expect((await plan(store, none)).proves).toEqual([{ client_id: 'deploy', who: null, beware: [] }])
  })

  it.each([
    [
      orders('prod:orders'),
      /which pods get that run as the service account prod\/orders/,
      /An account of this name/,
    ],
    [
      `{issuer: "${github}", subject: "repo:octo-org/octo-repo:ref:refs/heads/main"}`,
      /subject/,
      /It names the repository/,
    ],
    [
      `{issuer: "${github}", subject: "repo:octo-org@1/octo-repo@2:pull_request"}`,
      /subject/,
      /Every pull request may/,
    ],
  ])('warns of a subject that somebody else may come to have (%#)', async (federated, who, beware) => {
    const [told] = (await plan(await openEmptyStore(), file(federated))).proves ?? []
    expect(told?.who).toMatch(who)
    expect(told?.beware).toEqual([expect.stringMatching(beware)])
  })

  it('is exported as it was, with codes of organisations', async () => {
    const store = await openEmptyStore()
    const text = file(orders('prod:orders'), '    organisation: acme\n    permissions: []\n')
    await apply(store, text)
    const exported = await exportDeclared(store, 3_000)
    expect(exported).toMatch(
      /\nassertion_issuers:\n {2}- issuer: \S+\n {2}- issuer: \S+\n {4}max_lifetime: 7200\n {4}organisations:\n {6}- acme\n/,
    )
    const copy = await openEmptyStore()
    await apply(copy, exported)
    expect(await exportDeclared(copy, 3_000)).toBe(exported)
    expect((await plan(store, acme)).unnamed).toContainEqual({
      kind: 'assertion_issuers',
      id: 'installation',
    })
    expect(await plan(store, acme, true)).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ kind: 'assertion_issuers', pruned: true })]),
    })
  })

  it.each<[string, string, RegExp]>([
    [
      'an issuer with a slash',
      file(byBranch.replace(github, `${github}/`)),
      /is not declared; https:\/\/token\S+ is, and/,
    ],
    ['an issuer that nobody declares', file(byBranch, '', ''), /is no issuer that assertion_issuers/],
    [
      'an issuer that is not for the organisation',
      file(byBranch, '    organisation: acme\n'),
      /is no issuer that assertion_issuers of the installation declares for this organisation/,
    ],
    [
      'keys beside',
      file(byBranch, '    jwks_uri: https://deploy.example/jwks\n'),
      /a client has one of jwks, jwks_uri, federated/,
    ],
    [
      'a subject and claims',
      file(byBranch.replace('claims', 'subject: x, claims')),
      /has either a subject or claims/,
    ],
    ['names alone', file(byBranch.replace('repository_id', 'repository')), /names none of repository_id/],
    [
      'the subject of another client',
      file(orders('prod:orders'), job(orders('prod:orders')).replace(head, '').replace('deploy', 'second')),
      /the subject "system:serviceaccount:prod:orders" is there twice/,
    ],
    [
      'an unknown organisation',
      file(byBranch, '', issuers.replace('[acme]', '[acm]')),
      /no organisation "acm", did you mean "acme"/,
    ],
    ['an issuer twice', file(byBranch, '', `${issuers}  - issuer: ${github}\n`), /has an issuer twice/],
    ['an issuer by http', file(byBranch, '', issuers.replace('https://token', 'http://token')), /uses http/],
  ])('is refused with %s', async (_, text, reason) => {
    const store = await openEmptyStore()
    const found = await refusal(async () => await plan(store, text))
    expect(found.join('\n')).toMatch(reason)
  })

  it('is refused with a subject that a client has who is not in the file', async () => {
    const store = await openEmptyStore()
    await apply(store, file(orders('prod:orders')))
    const other = {
      ...parse(file(orders('prod:orders')).replace('client_id: deploy', 'client_id: second')),
      file: 'other.yaml',
    }
    const found = await refusal(
      async () => await planDeclared(store, other, { now: 2_000, ...quickPasswords }),
    )
    expect(found.join('\n')).toMatch(/is that of the client "deploy", which is not in this file/)
    // Two of one file exchange theirs.
    const two = (one: string, another: string) =>
      file(
        orders(one),
        `  - client_id: second\n    client_name: Second\n    type: machine\n    federated: ${orders(another)}\n`,
      )
    await apply(store, two('prod:orders', 'prod:second'))
    await apply(store, two('prod:second', 'prod:orders'), 2_000)
    expect(await plan(store, two('prod:second', 'prod:orders'))).toEqual(emptyPlan())
  })

  it('says how a client proves itself where that does not follow from the rest', async () => {
    const store = await openEmptyStore()
    const keys =
      '{keys: [{kty: EC, crv: P-256, kid: one, x: f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU, y: x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0}]}'
    const signing = (more: string) =>
      edited(acme, ['client_name: Ledger report\n', `client_name: Ledger report\n    jwks: ${keys}\n${more}`])
    await apply(store, acme)
    await apply(store, signing(''))
    // The default said is the same as left out.
    expect(await plan(store, signing('    token_endpoint_auth_method: private_key_jwt\n'))).toEqual(
      emptyPlan(),
    )
    const kept = signing('    token_endpoint_auth_method: client_secret_basic\n')
    expect((await plan(store, kept)).changes).toMatchObject([
      { fields: [{ field: 'token_endpoint_auth_method', before: null, after: 'client_secret_basic' }] },
    ])
    await apply(store, kept)
    expect(await exportDeclared(store, 3_000)).toContain('token_endpoint_auth_method: client_secret_basic')
  })
})
