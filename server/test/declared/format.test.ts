import { readFileSync } from 'node:fs'
import { writeFile, mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDeclaredFile } from '../../dist/declared/format.js'
import { DeclaredFileError } from '../../dist/declared/problems.js'
import { acme, edited, parse, refusal } from './support.ts'

/** A file that is right; each case puts something wrong at the place of a mark. Line numbers are those below. */
const base = `services:
  - code: ledger
    name: Ledger
    audience: https://ledger.example/api
    permissions:
      - code: ledger.entry.read
        description: Read entries
  - { code: other, name: Other, audience: https://other.example/api }
roles:
  - code: reader
    name: Reader
    permissions: [ledger.entry.read]
organisations:
  - code: acme
    name: Acme
    units:
      - { code: intake, name: Intake }
  - { code: globex, name: Globex }
users:
  - email: one@acme.example
    name: One
    password: a password of one
    profiles:
      - role: reader
        organisation: acme
        unit: intake
clients:
  - client_id: web
    client_name: Web
    type: public
    redirect_uris: [https://web.example/callback]
    scope: openid service.api
    services: [ledger]
  - client_id: job
    client_name: Job
    type: machine
    client_secret: a secret of the job
    services: [ledger]
    permissions: [ledger.entry.read]
`

type Case = [what: string, part: string, by: string, ...problems: (string | RegExp)[]]

const uuidA = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01'
const hash = `sha256:${'A'.repeat(43)}`
const user = '  - email: one@acme.example\n'
const web = '    type: public\n'
const job = '    type: machine\n'
const secret = '    client_secret: a secret of the job\n'
const uris = '[https://web.example/callback]'
const password = '    password: a password of one\n'
const profile = '        unit: intake\n'

// biome-ignore format: a table, one case a line
const cases: Record<string, Case[]> = {
  'keys and types': [
    ['an unknown key at the top', 'services:', 'servce: []\nservices:', '1: the file has the unknown key "servce", did you mean "services"?'],
    ['an unknown key', '    name: Reader', '    nam: Reader', '10: a role has no "name"', '11: a role has the unknown key "nam", did you mean "name"?'],
    ['a key that nothing is near to', user, `${user}    shoe_size: 42\n`, '21: a user has the unknown key "shoe_size"'],
    ['a prototype name', user, `${user}    __proto__: {active: true}\n`, '21: a user has the unknown key "__proto__"'],
    ['a missing key', '    audience: https://ledger.example/api\n', '', '2: a service has no "audience"'],
    ['a number for a text', 'name: Reader', 'name: 42', '11: name is a text, not the number "42"; put it in quotes'],
    ['a text for a flag', 'name: Reader', 'name: Reader\n    active: "no"', '12: active is true or false, not a text'],
    ['a text for a list', 'permissions: [ledger.entry.read]\norg', 'permissions: ledger.entry.read\norg', '12: permissions is a list, not a text'],
    ['nothing for a list', 'permissions: [ledger.entry.read]\norg', 'permissions:\norg', '12: permissions is a list, not nothing; write [] for none'],
    ['nothing for a text', 'name: Reader', 'name:', '11: name is a text, not nothing; leave the key out instead'],
    ['a text for a mapping', '  - { code: globex, name: Globex }', '  - globex', '18: an organisation is a mapping of keys, not a text'],
    ['an empty text', 'name: Reader', 'name: " "', '11: name " " is empty'],
    ['a control character', 'name: Reader', 'name: "a\\0b"', '11: name "a\\u0000b" holds a control character'],
  ],
  YAML: [
    ['a syntax error', 'name: Reader', 'name: [Reader', /^1[12]: YAML: /],
    ['a duplicate key', '    name: Reader', '    name: Reader\n    name: Writer', '12: the key "name" is there twice; first on line 11'],
    ['a second document', 'roles:', '---\nroles:', /^9: YAML: a second document begins here/],
    ['an alias', 'name: Reader', 'name: &n Reader\n    description: *n', '12: description is an alias; aliases are not read, write it out', /^12: a role has the unknown key/],
    ['an alias as a value', 'permissions: [ledger.entry.read]\norg', 'permissions: [&p ledger.entry.read, *p]\norg', '12: permissions is an alias; aliases are not read, write it out'],
    ['a key that is a list', 'name: Reader', 'name: Reader\n    ? [a]\n    : b', '12: a key of a role is no text'],
    ['a duplicate key within a value', 'name: Reader', 'name: Reader\n    policy: { grace_days: 1, grace_days: 2 }', '12: the key "grace_days" is there twice; first on line 12'],
    ['a merge key', 'name: Reader', 'name: Reader\n    <<: {active: false}', '12: a role has the unknown key "<<"'],
    ['a tag', 'name: Reader', 'name: !!js/function Reader', /^11: YAML: /],
  ],
  duplicates: [
    ['a service', 'code: other,', 'code: ledger,', '8: the service "ledger" is there twice; first on line 2'],
    ['an audience', 'https://other.example/api', 'https://ledger.example/api', '8: the audience "https://ledger.example/api" is there twice; first on line 4'],
    ['a permission', '        description: Read entries', '      - code: ledger.entry.read', '7: the permission "ledger.entry.read" is there twice; first on line 6'],
    ['a permission of a role', 'permissions: [ledger.entry.read]\norg', 'permissions: [ledger.entry.read, ledger.entry.read]\norg', '12: permissions lists "ledger.entry.read" twice'],
    ['a role', 'organisations:', '  - { code: reader, name: Again }\norganisations:', '13: the role "reader" is there twice; first on line 10'],
    ['an organisation', 'code: globex,', 'code: acme,', '18: the organisation "acme" is there twice; first on line 14'],
    ['an organisation uuid', 'code: globex, name: Globex }', `code: globex, name: Globex, uuid: ${uuidA} }\n  - { code: third, name: Third, uuid: ${uuidA.toUpperCase()} }`, `19: the organisation uuid "${uuidA}" is there twice; first on line 18`],
    ['a unit', '      - { code: intake, name: Intake }', '      - { code: intake, name: Intake }\n      - { code: intake, name: Again }', '18: the unit "acme/intake" is there twice; first on line 17'],
    ['a unit uuid', '      - { code: intake, name: Intake }', `      - { code: intake, name: Intake, uuid: ${uuidA} }\n      - { code: second, name: Again, uuid: ${uuidA} }`, `18: the unit uuid "${uuidA}" is there twice; first on line 17`],
    ['an e-mail address in another spelling', 'clients:', '  - { email: ONE@acme.example, name: Again }\nclients:', '27: the user "ONE@acme.example" is there twice; first on line 20'],
    ['a user uuid', '    name: One', `    name: One\n    uuid: ${uuidA}\n  - { email: two@acme.example, name: Two, uuid: ${uuidA} }\n  - email: three@acme.example\n    name: Three`, `23: the user uuid "${uuidA}" is there twice; first on line 22`],
    ['a profile', profile, `${profile}      - { role: reader, organisation: acme, unit: intake }\n`, '27: the profile "reader at acme/intake of one@acme.example" is there twice; first on line 24'],
    ['a profile uuid', profile, `${profile}        uuid: ${uuidA}\n      - { role: reader, uuid: ${uuidA} }\n`, `28: the profile uuid "${uuidA}" is there twice; first on line 27`],
    ['a client', 'client_id: job', 'client_id: web', '34: the client "web" is there twice; first on line 28'],
    ['a redirect URI', uris, '[https://web.example/callback, https://web.example/callback]', '31: redirect_uris lists "https://web.example/callback" twice'],
    ['a service of a client', '    services: [ledger]\n  -', '    services: [ledger, ledger]\n  -', '33: services lists "ledger" twice'],
  ],
  references: [
    ['a role to no permission', '[ledger.entry.read]\norg', '[ledger.entry.raed]\norg', '12: the file declares no permission "ledger.entry.raed", did you mean "ledger.entry.read"?'],
    ['a role to a wildcard', '[ledger.entry.read]\norg', '["ledger.*"]\norg', '12: permissions "ledger.*" is refused: the only wildcard is "iam.*"'],
    ['a role to no permission of iam', '[ledger.entry.read]\norg', '[iam.users.reed]\norg', '12: the built-in service iam has no permission "iam.users.reed", did you mean "iam.users.read"?'],
    ['a profile to no role', 'role: reader', 'role: raeder', '24: the file declares no role "raeder", did you mean "reader"?'],
    ['a profile to no organisation', 'organisation: acme\n        unit: intake', 'organisation: akme', '25: the file declares no organisation "akme", did you mean "acme"?'],
    ["a profile to another organisation's unit", 'organisation: acme', 'organisation: globex', '26: the file declares no unit "globex/intake"'],
    ['a unit without organisation', '        organisation: acme\n', '', '25: a profile with a unit needs the organisation that the unit belongs to'],
    ['a unit to no parent', 'name: Intake }', 'name: Intake, parent: head }', '17: the file declares no unit "acme/head"'],
    ['units in a circle', '      - { code: intake, name: Intake }', '      - { code: intake, name: Intake, parent: second }\n      - { code: second, name: Second, parent: intake }', '17: the unit "intake" is above itself; its parents run in a circle'],
    ['a client to no service', '    services: [ledger]\n  -', '    services: [leger]\n  -', '33: the file declares no service "leger", did you mean "ledger"?'],
    ['a client to no organisation', web, `${web}    organisation: nobody\n`, '31: the file declares no organisation "nobody"'],
    ['a client to no permission', web, `${web}    permissions: [ledger.entry.raed]\n`, /^31: the file declares no permission "ledger.entry.raed"/],
    ["a machine's permission outside its services", '    services: [ledger]\n    permissions', '    services: [other]\n    permissions', '39: the permission "ledger.entry.read" is of no service that this client lists in services'],
  ],
  access: [
    ['the built-in service', 'code: other,', 'code: iam,', '8: the service "iam" is built in and can\'t be declared'],
    ["another service's permission", '- code: ledger.entry.read', '- code: other.entry.read', '6: the permission "other.entry.read" is not of the form ledger.<resource>.<action>', /^12:/, /^39:/],
    ['a permission of two parts', '- code: ledger.entry.read', '- code: ledger.read', '6: code "ledger.read" is no permission: <service>.<resource>.<action>', /^12:/, /^39:/],
    ['an algorithm that is no choice', 'audience: https://other.example/api }', 'audience: https://other.example/api, access_token_alg: ES384 }', /^8: access_token_alg is RS256 or ES256, not "ES384"/],
    ['no signature at all', 'audience: https://other.example/api }', 'audience: https://other.example/api, access_token_alg: none }', /^8: access_token_alg is RS256 or ES256, not "none"/],
    ['an algorithm without a value', 'audience: https://other.example/api }', 'audience: https://other.example/api, access_token_alg: }', /^8: .*access_token_alg/],
    ['an audience that is no URI', 'https://other.example/api', 'other', /^8: audience "other" is no audience/],
    ['an audience with a fragment', 'https://other.example/api', '"https://other.example/#a"', /^8: audience .* holds a character/],
    ['a code in capitals', 'code: globex', 'code: Globex', /^18: code "Globex" is no code/],
    ['a bad uuid', '    name: Acme', '    name: Acme\n    uuid: 1234', /^16: uuid is a text, not the number "1234"/],
    ['another bad uuid', '    name: Acme', '    name: Acme\n    uuid: 5b0c4f0e-6a53', '16: uuid "5b0c4f0e-6a53" is no UUID'],
  ],
  'claims of clients': [
    ['a reserved name', web, `${web}    claims: [{name: client_id, value: x}]\n`, /^31: claims.0.name is reserved/],
    ['an unknown source', web, `${web}    claims:\n      - {name: a, source: password}\n`, /^32: claims.0.source is sub or email or /],
    ['a mapping', web, `${web}    claims: {name: a}\n`, '31: claims is a list, not a mapping'],
    ['two parts that are wrong', job, `${job}    policy:\n      grace_days: 31\n      second_factor: always\n`, '38: policy.grace_days is more than 30', '39: policy.second_factor is off or optional or required or passkey, not "always"'],
    ['an unknown key', web, `${web}    groups: {from: role, form: x}\n`, /^31: groups.form is not known here/],
    ['a service that is not its own', web, `${web}    groups: {from: permissions, service: other}\n`, '31: groups are made of permissions of other, which is not among services'],
    ['those of a machine', job, `${job}    groups: {from: role}\n`, '37: a machine client has no groups; nobody signs in with it'],
  ],
  users: [
    ['a bad e-mail address', 'one@acme.example', 'one.acme.example', '20: email "one.acme.example" is no e-mail address'],
    ['a second @ by normalisation', 'one@acme.example', 'one＠two@acme.example', /^20: email .* is no e-mail address/],
    ['a short password', 'a password of one', '7 chars', '22: password is shorter than 8 characters'],
    ['a long password', 'a password of one', 'x'.repeat(129), '22: password is longer than 128 characters'],
    ['a number as password', 'a password of one', '123456789', '22: password is a text, not a number; put it in quotes'],
    ['password and hash', password, `${password}    password_hash: ${'$argon2id$v=19$m=19456,t=2,p=1$IHYzBkSYJ2VNkMDGaoAPuw$u0YcVzPBXUbyyRMZ1T3AF4p9vnZlI/Vi9W4N3ZTMzgc'}\n`, '23: a user has either password or password_hash, not both'],
    ['a bcrypt hash', password, '    password_hash: $2b$10$abcdefghijklmnopqrstuv\n', /^22: password_hash is no password hash of a known form/],
    ['a hash that takes all memory', password, '    password_hash: $argon2id$v=19$m=9999999,t=2,p=1$IHYzBkSYJ2VNkMDGaoAPuw$u0YcVzPBXUbyyRMZ1T3AF4p9vnZlI/Vi9W4N3ZTMzgc\n', /^22: password_hash asks for too much: argon2/],
    ['a locale', user, `${user}    locale: englisch!\n`, /^21: locale "englisch!" is no language tag/],
    ['a time zone', user, `${user}    zoneinfo: Mars/Olympus\n`, /^21: zoneinfo "Mars\/Olympus" is no time zone/],
    ['a picture', user, `${user}    picture: javascript:alert(1)\n`, /^21: picture /],
    ['a day that does not exist', profile, `${profile}        expires_at: 2031-02-30\n`, /^27: expires_at "2031-02-30" is no time/],
    ['a time without offset', profile, `${profile}        expires_at: "2031-02-03 12:00"\n`, /^27: expires_at .* is no time/],
  ],
  clients: [
    ['a reserved client_id', 'client_id: web', 'client_id: tessera:web', /^28: client_id "tessera:web" is reserved/],
    ['a UUID as the client_id of a machine', 'client_id: job', `client_id: ${uuidA}`, /^34: the client_id .* is a UUID/],
    ['a URL as the client_id of a machine', 'client_id: job', 'client_id: https://job.example/', /^34: the client_id .* is for clients of people/],
    ['a blank in the client_id', 'client_id: web', 'client_id: we b', /^28: client_id "we b" is no client_id/],
    ['an unknown type', web, '    type: pubic\n', '30: type is public or web or machine or proxied, not "pubic", did you mean "public"?'],
    ['an http redirect URI', uris, '[http://web.example/callback]', /^31: redirect_uris .* uses http/],
    ['a redirect URI with a fragment', uris, '["https://web.example/#a"]', /^31: redirect_uris .* fragment/],
    ['a wildcard redirect URI', uris, '["https://*.web.example/"]', /^31: redirect_uris .* wildcard/],
    ['a redirect URI with a code', uris, '["https://web.example/?tenant=1&code=2"]', /^31: redirect_uris .* has code in its query/],
    ['a post-logout address with a state', web, `${web}    post_logout_redirect_uris: ["https://web.example/?state=2"]\n`, /^31: post_logout_redirect_uris .* has state in its query/],
    ['the line of the URI in a list', uris, '\n      - https://web.example/callback\n      - https://web.example/#a', /^33: redirect_uris/],
    ['a private-use scheme of a web client', uris, '[com.example.app:/callback]', /^31: redirect_uris .*native/],
    ['no redirect URI', uris, '[]', '31: redirect_uris is empty; a public client needs at least one'],
    ['no redirect_uris', `    redirect_uris: ${uris}\n`, '', '28: a public client has no "redirect_uris"'],
    ['a post-logout redirect URI', web, `${web}    post_logout_redirect_uris: [/bye]\n`, /^31: post_logout_redirect_uris "\/bye" is not an absolute URL/],
    ['a back-channel logout URI', web, `${web}    backchannel_logout_uri: http://web.example/out\n`, /^31: backchannel_logout_uri .* uses http/],
    ['an origin with a path', web, `${web}    allowed_origins: [https://web.example/]\n`, /^31: allowed_origins .* is no origin.*write https:\/\/web.example$/],
    ['an http origin', web, `${web}    allowed_origins: [http://web.example]\n`, /^31: allowed_origins .* is no origin/],
    ['the origin of a file', web, `${web}    allowed_origins: ['null']\n`, /^31: allowed_origins .* is no origin/],
    ['an origin that is a file', web, `${web}    allowed_origins: [file://localhost]\n`, /^31: allowed_origins .* is no origin/],
    ['an origin that runs', web, `${web}    allowed_origins: [javascript://localhost]\n`, /^31: allowed_origins .* is no origin/],
    ['an origin of an application with a path', web, `${web}    allowed_origins: [capacitor://localhost/]\n`, /^31: allowed_origins .* is no origin/],
    ['an origin of an application in capitals', web, `${web}    allowed_origins: [Capacitor://localhost]\n`, /^31: allowed_origins .* is no origin/],
    ['a scheme as an origin', web, `${web}    allowed_origins: ["capacitor:"]\n`, /^31: allowed_origins .* is no origin/],
    ['an unknown scope', 'openid service.api', 'openid emial', '32: scope "openid emial" has the unknown scope "emial"; there are openid, email, profile, service.api, groups, offline_access'],
    ['a scope without openid', 'openid service.api', 'service.api', /^32: the scope of a public client includes openid/],
    ['a public client with a secret', web, `${web}    client_secret: a secret of the web\n`, '31: a public client has no client_secret; it proves itself by PKCE'],
    ['a public client with a machine grant', web, `${web}    grant_types: [client_credentials]\n`, /^31: a public client can not use client_credentials/],
    ['an unknown grant type', web, `${web}    grant_types: [authorization_code, password]\n`, /^31: grant_types is authorization_code or/],
    ['grant types that are no list, told once', web, `${web}    grant_types: 5\n`, /^31: grant_types is a list, not the number "5"$/],
    ['a public client that authenticates', web, `${web}    token_endpoint_auth_method: client_secret_basic\n`, /^31: a public client has token_endpoint_auth_method none/],
    ['a machine with a redirect URI', job, `${job}    redirect_uris: ${uris}\n`, '37: a machine client has no redirect_uris; nobody signs in with it'],
    ['a machine with an origin', job, `${job}    allowed_origins: [https://job.example]\n`, '37: a machine client has no allowed_origins; nobody signs in with it'],
    ['a machine with user scopes', job, `${job}    scope: openid service.api\n`, '37: a machine client has the scope service.api alone, not openid'],
    ['a machine that refreshes', job, `${job}    grant_types: [client_credentials, refresh_token]\n`, /^37: a machine client has the grant type/],
    ['a machine that does not authenticate', job, `${job}    token_endpoint_auth_method: none\n`, /^37: a machine client authenticates/],
    ['two kinds of secret', secret, `${secret}    client_secret_hash: ${hash}\n`, /^38: a client has only one of client_secret,/],
    ['a bad secret hash', secret, '    client_secret_hash: sha256:abc\n', /^37: client_secret_hash is not sha256:/],
    ['three secret hashes', secret, `    client_secret_hashes: [${hash}, ${hash.replace('AA', 'BB')}, ${hash.replace('AA', 'CC')}]\n`, /^37: client_secret_hashes lists at most two/],
    ['a lifetime of nothing', web, `${web}    access_token_lifetime: 0\n`, '31: access_token_lifetime is less than 1'],
    ['an access token of more than a day', web, `${web}    access_token_lifetime: 86401\n`, '31: access_token_lifetime is more than 86400'],
    ['a lifetime in words', web, `${web}    refresh_idle_lifetime: 14d\n`, '31: refresh_idle_lifetime is a number, not a text'],
    ['a lifetime without a value', web, `${web}    refresh_idle_lifetime:\n`, '31: refresh_idle_lifetime is a number, not nothing; leave the key out instead'],
    ['a secret hash that ends, without the hash', secret, '    client_secret_hashes: [{ expires_at: 2031-01-31 }]\n', '37: a client secret has no "hash"'],
    ['a secret hash in a list that is none', secret, '    client_secret_hashes:\n      - abc\n', '38: a client secret is not sha256: and 43 base64url characters'],
    ['an idle end after the absolute one', web, `${web}    refresh_idle_lifetime: 20\n    refresh_absolute_lifetime: 10\n`, /^31: refresh_idle_lifetime is longer/],
  ],
}

describe('a declared file that is right', () => {
  it('reads the reference example', () => {
    const declared = parse(acme)
    expect(declared.users.map((user) => user.email)).toContain('importer@acme.example')
    expect(declared.clients.find((client) => client.client_id === 'submissions-web')).toMatchObject({
      line: 93,
      first_party: true,
      allowed_origins: ['http://127.0.0.1:4001', 'http://localhost:4001'],
    })
    expect(declared.clients.find((client) => client.client_id === 'nightly-import')).toMatchObject({
      scope: 'service.api',
      grant_types: ['client_credentials'],
    })
  })

  it('reads the base of the cases below', () => {
    expect(parse(base).clients).toHaveLength(2)
  })

  it('takes what production takes', () => {
    const text = edited(
      base,
      [password, ''],
      [secret, `    client_secret_hashes: [${hash}, ${hash.replace('AA', 'BB')}]\n`],
    )
    expect(parse(text, 'production').clients[1]?.secrets).toHaveLength(2)
  })

  it('takes a secret with its end, and two profiles of the same kind that each have a uuid', () => {
    const ending = `\n      - hash: ${hash}\n        expires_at: 2031-01-31T12:00:00Z\n`
    const { clients } = parse(edited(base, [secret, `    client_secret_hashes:${ending}`]))
    const expiresAt = Date.UTC(2031, 0, 31, 12)
    expect(clients[1]?.secrets).toEqual([{ hash: hash.replace('sha256:', ''), expiresAt }])
    const profile = 'uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201\n        role: reader'
    const other = profile.replace('0201', '0202')
    const twice = (second: string) =>
      edited(
        acme,
        [profile, `${profile}\n        organisation: globex\n      - ${second}`],
        [
          '        organisation: acme\n        unit: finance\n      - uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202\n        role: bookkeeper\n',
          '',
        ],
      )
    expect(parse(twice(other)).users[1]?.profiles).toHaveLength(2)
  })

  it('reads the example of the documentation', () => {
    const page = readFileSync(new URL('../../../docs/declared-file.md', import.meta.url), 'utf8')
    const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    expect(parse(example).clients).toHaveLength(2)
  })

  it('counts characters, not bytes, in a password', () => {
    expect(() => parse(edited(base, ['a password of one', '🔑'.repeat(128)]))).not.toThrow()
  })

  it('takes Windows line ends, a byte order mark and an empty mapping', () => {
    expect(parse(`\uFEFF${acme.replaceAll('\n', '\r\n')}`).services).toHaveLength(2)
    expect(parse('{}').services).toEqual([])
  })
})

describe.each(Object.entries(cases))('refused: %s', (_, group) => {
  it.each(group)('%s', async (_what, part, by, ...expected) => {
    const problems = await refusal(() => parse(edited(base, [part, by])))
    expect(problems).toHaveLength(expected.length)
    for (const [index, one] of expected.entries()) {
      if (typeof one === 'string') expect(problems[index]).toBe(one)
      else expect(problems[index]).toMatch(one)
    }
  })
})

describe('refused as a whole', () => {
  it('tells everything at once, in the order of the file, with its name', () => {
    const text = edited(base, ['name: Reader', 'nam: Reader'], ['role: reader', 'role: rider'])
    expect(() => parse(text)).toThrow(
      [
        'acme.yaml:10: a role has no "name"',
        'acme.yaml:11: a role has the unknown key "nam", did you mean "name"?',
        'acme.yaml:24: the file declares no role "rider"',
      ].join('\n'),
    )
  })

  it('lists fifty problems and counts the others', async () => {
    const problems = await refusal(() => parse(`${base}${'  - 1\n'.repeat(80)}`))
    expect(problems).toHaveLength(51)
    expect(problems[50]).toBe('89: 30 more problems are not listed')
  })

  it('refuses secrets of authenticator apps in production, and others than apps have, without quoting them', async () => {
    const given = (secret: string) =>
      `users:\n  - email: a@x.example\n    name: A\n    totp_secret: ${secret}\n`
    const refusals = [
      await refusal(() => parse(given('GEZDGNBVGY3TQOJQ'), 'production')),
      await refusal(() => parse(given('GEZDGNBVGY3TQOJ'))),
      await refusal(() => parse(given('12345678'))),
    ]
    expect(refusals).toEqual([
      ['4: totp_secret is plain, and TESSERA_MODE is production; leave it out'],
      ['4: totp_secret has less than 80 bits'],
      [expect.stringMatching(/^4: totp_secret (?!.*12345678)/)],
    ])
  })

  it('refuses plain passwords and secrets in production, and names the cure', async () => {
    expect(await refusal(() => parse(base, 'production'))).toEqual([
      '22: password is plain, and TESSERA_MODE is production; write password_hash, or leave both out',
      '37: client_secret is plain, and TESSERA_MODE is production; write client_secret_hash, or let one be generated',
    ])
  })

  it.each([
    ['nothing at all', ''],
    ['a list', '- services'],
    ['a text', 'services'],
    [
      'an alias bomb',
      `a: &a [x,x]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${`*${'abcdefghij'[i]},`.repeat(9)}]`).join('\n')}`,
    ],
    ['many keys', Array.from({ length: 10_000 }, (_, i) => `k${i}: 1`).join('\n')],
  ])('refuses %s', async (_, text) => {
    expect(await refusal(() => parse(text))).not.toHaveLength(0)
  })

  it.each<[string, string, string, RegExp]>([
    ['brackets in brackets', '', '[', /^1: YAML: it is nested too deeply$/],
    ['lists in lists', '', '- ', /^1: YAML: it is nested too deeply$/],
    ['questions', '', '? ', /^1: YAML: it is nested too deeply$/],
    ['documents', '', '---\n', /^2: YAML: a second document begins here/],
    ['one long text', '', 'x', /^1: YAML: a text is longer than 100000 characters$/],
    ['a quoted text without an end', '"', 'x\n', /^1: YAML: a text is longer/],
  ])('refuses %s without reading on', async (_, start, piece, reason) => {
    const text = start + piece.repeat((5 * 1024 * 1024 - 100) / piece.length)
    expect((await refusal(() => parse(text)))[0]).toMatch(reason)
  })

  it('refuses a file that is missing, too large or not UTF-8', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-declared-'))
    const read = (name: string) => readDeclaredFile(join(folder, name), { mode: 'development' })
    try {
      await writeFile(join(folder, 'large.yaml'), '')
      await truncate(join(folder, 'large.yaml'), 5 * 1024 * 1024 + 1)
      await writeFile(join(folder, 'latin.yaml'), Buffer.from([0x23, 0xe4, 0x0a]))
      await writeFile(join(folder, 'wrong.yaml'), 'role: []')
      await expect(read('none.yaml')).rejects.toThrow(
        /none\.yaml: the file can't be read: check its name .*\(ENOENT\)/,
      )
      await expect(read('large.yaml')).rejects.toThrow(
        /large\.yaml: the file has 5242881 bytes, and at most 5242880 are read; .*tessera import/,
      )
      await expect(read('latin.yaml')).rejects.toThrow(/not UTF-8/)
      await expect(read('wrong.yaml')).rejects.toThrow(DeclaredFileError)
      await expect(read('wrong.yaml')).rejects.toThrow(/wrong\.yaml:1: .*did you mean "roles"/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('never shows a secret', async () => {
    const text = edited(
      base,
      ['a password of one', '"hunter\\0 2 hunter"'],
      ['a secret of the job', '"sécret"'],
    )
    const problems = await refusal(() => parse(text))
    expect(problems).toHaveLength(2)
    expect(problems.join()).not.toMatch(/hunter|sécret/)
  })
})
