import * as z from 'zod'
import { clientOf } from './read-client.ts'
import { attributesOf, personOf } from './read-person.ts'
import { fromRecords, Names, someText, someTexts } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type SourceOptions, type ToldPerson, type ToldStructure } from './told.ts'

/**
 * Ory: the identities of Kratos, by
 * `GET /admin/identities?include_credential=password&include_credential=totp&include_credential=webauthn&include_credential=passkey&include_credential=oidc`
 * (all pages; a version that leaves out what is asked for is read by SQL from `identity_credentials`), and the clients
 * of Hydra, by `hydra list clients --format json` or `GET /admin/clients`, which hold no secrets.
 */
export const ory = fromRecords<Installation>({
  name: 'Ory',
  lists: ['identities', 'items', 'clients'],
  begin: () => ({ attributes: new Names(), organisations: new Names(), clients: [] }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface Installation {
  attributes: Names
  organisations: Names
  clients: HydraClient[]
}

const hydraClient = z.object({
  client_id: z.string(),
  client_name: someText,
  client_secret: someText,
  redirect_uris: someTexts,
  post_logout_redirect_uris: someTexts,
  allowed_cors_origins: someTexts,
  grant_types: someTexts,
  token_endpoint_auth_method: someText,
  jwks_uri: someText,
  jwks: z
    .object({ keys: z.array(z.unknown()).min(1) })
    .optional()
    .catch(undefined),
  skip_consent: z.boolean().nullish().catch(false),
  client_uri: someText,
  logo_uri: someText,
  backchannel_logout_uri: someText,
})
type HydraClient = z.output<typeof hydraClient>

/** Bytes in base64, as Go writes them. */
const bytes = z.string().transform((one) => Buffer.from(one, 'base64'))
const webauthn = z.object({
  user_handle: bytes.optional().catch(undefined),
  credentials: z
    .array(
      z.object({
        id: bytes,
        public_key: bytes,
        authenticator: z
          .object({ aaguid: bytes.optional().catch(undefined), sign_count: z.int().catch(0) })
          .optional(),
        flags: z
          .object({ backup_eligible: z.boolean().optional(), backup_state: z.boolean().optional() })
          .optional()
          .catch(undefined),
      }),
    )
    .catch([]),
})
const credential = <Config extends z.ZodType>(config: Config) =>
  z
    .object({ config: config.optional().catch(undefined) })
    .nullish()
    .catch(undefined)

const identity = z.object({
  id: z.string(),
  // What is neither of both may be either.
  state: z.enum(['active', 'inactive', '']).nullish(),
  traits: z.record(z.string(), z.unknown()),
  metadata_public: z.unknown().optional(),
  metadata_admin: z.unknown().optional(),
  organization_id: someText,
  verifiable_addresses: z
    .array(z.object({ value: z.string(), verified: z.boolean() }))
    .nullish()
    .catch(undefined),
  credentials: z
    .object({
      password: credential(z.object({ hashed_password: someText })),
      totp: credential(z.object({ totp_url: someText })),
      webauthn: credential(webauthn),
      passkey: credential(webauthn),
      lookup_secret: credential(z.unknown()),
      code: credential(z.unknown()),
      oidc: credential(z.object({ providers: z.array(z.object({ provider: z.string() })).catch([]) })),
      saml: credential(z.unknown()),
    })
    .nullish()
    .catch(undefined),
})
type Identity = z.output<typeof identity>

const isIdentity = (values: ExportRecord['values']) =>
  Object.hasOwn(values, 'traits') && Object.hasOwn(values, 'id')

function learn(installation: Installation, { values }: ExportRecord): boolean {
  if (isIdentity(values)) {
    const { data } = identity.safeParse(values)
    for (const one of Object.keys(data === undefined ? {} : administered(data)))
      installation.attributes.add(one)
    if (data?.organization_id !== undefined) installation.organisations.add(data.organization_id)
    return true
  }
  const { data } = hydraClient.safeParse(values)
  if (data !== undefined) installation.clients.push(data)
  return data !== undefined
}

/** Nobody edits their own metadata; traits are for people to edit. */
const administered = ({ metadata_public: shown, metadata_admin: hidden }: Identity) => ({
  ...attributesOf(shown, 'metadata_public.'),
  ...attributesOf(hidden, 'metadata_admin.'),
})

function* structureOf({ attributes, organisations, clients }: Installation): Generator<ToldStructure> {
  yield { is: 'system', name: 'ory', label: 'Ory' }
  for (const id of organisations.sorted()) {
    yield { is: 'organisation', id, name: id }
    yield decide('The export does not name an organisation: change its name in declared.yaml.', id)
  }
  for (const name of attributes.sorted()) yield { is: 'attribute', name, editableByPeople: false }
  for (const client of clients) {
    const {
      client_id: clientId,
      token_endpoint_auth_method: method,
      grant_types: grants,
      jwks,
      jwks_uri,
    } = client
    const isMachine = grants.length > 0 && grants.every((one) => one === 'client_credentials')
    yield* clientOf({
      clientId,
      name: client.client_name,
      kind: isMachine ? 'machine' : method === 'none' ? 'public' : 'web',
      redirects: client.redirect_uris,
      afterLogout: client.post_logout_redirect_uris,
      origins: client.allowed_cors_origins,
      grants: grants.length === 0 ? undefined : grants,
      // The list has none; only the answer to its making does.
      secret: client.client_secret,
      method,
      keys: jwks_uri !== undefined ? { jwks_uri } : jwks === undefined ? undefined : { jwks },
      firstParty: client.skip_consent === true,
      home: client.client_uri,
      logo: client.logo_uri,
      backchannelLogout: client.backchannel_logout_uri,
    })
  }
}

const nameParts = z.object({ first: someText, last: someText })

function* peopleOf(
  { values, at }: ExportRecord,
  _: Installation,
  { rpId }: SourceOptions,
): Generator<ToldPerson | Remark> {
  if (!isIdentity(values)) return
  const { data } = identity.safeParse(values)
  if (data === undefined) {
    yield lost('An entry of the people is not as Kratos writes it, and is left out.', at)
    return
  }
  const { traits, credentials } = data
  const of = (...names: string[]) =>
    names.map((one) => someText.parse(traits[one])).find((one) => one !== undefined)
  const email = of('email', 'mail')
  // A person has one user handle here; that of passkeys is sent by authenticators.
  const keys = [credentials?.passkey?.config, credentials?.webauthn?.config].filter(
    (one) => one !== undefined,
  )
  const userHandle = keys.find((one) => one.user_handle !== undefined)?.user_handle
  const passkeys = keys
    .filter((one) => userHandle !== undefined && one.user_handle?.equals(userHandle) === true)
    .flatMap((one) => one.credentials)
  const hasOthers = keys.flatMap((one) => one.credentials).length > passkeys.length
  const isPlaced = rpId !== undefined && userHandle !== undefined
  if (passkeys.length > 0 && rpId === undefined)
    yield decide(
      'The export does not say the domain of passkeys: run again with --rp-id, that of selfservice.methods.webauthn in the configuration of Kratos.',
      email ?? data.id,
    )
  const name = nameParts.safeParse(traits['name']).data
  const { email: _email, mail: _mail, name: _name, ...others } = traits
  if (credentials?.lookup_secret)
    yield lost('Recovery codes do not come along: people make new ones.', email ?? data.id)
  yield* personOf({
    system: 'Kratos',
    subject: data.id,
    email,
    emailVerified: (data.verifiable_addresses ?? []).some(
      (one) => one.verified && one.value.toLowerCase() === email?.toLowerCase(),
    ),
    name: of('name', 'full_name', 'display_name'),
    givenName: name?.first ?? of('first_name', 'given_name'),
    familyName: name?.last ?? of('last_name', 'family_name'),
    username: of('username'),
    picture: of('picture'),
    locale: of('locale'),
    zoneinfo: of('zoneinfo'),
    active: data.state !== 'inactive',
    hash: credentials?.password?.config?.hashed_password,
    totp: credentials?.totp?.config?.totp_url,
    ...(isPlaced && {
      userHandle: userHandle.toString('base64url'),
      passkeys: passkeys.map((one) => passkeyOf(one, rpId)),
    }),
    lostFactors: [
      ...(credentials?.totp && credentials.totp.config?.totp_url === undefined ? ['TOTP'] : []),
      ...(hasOthers || (passkeys.length > 0 && !isPlaced) ? ['passkey'] : []),
      ...(passkeys.length === 0 && (credentials?.webauthn ?? credentials?.passkey) ? ['passkey'] : []),
    ],
    providers: [
      ...(credentials?.oidc?.config?.providers ?? []).map((one) => one.provider),
      ...(credentials?.saml ? ['SAML'] : []),
    ],
    withoutPassword: credentials?.password
      ? 'The export leaves out the hash of a password: ask for it by include_credential=password, or let people set one by a mailed link.'
      : undefined,
    organisations: data.organization_id === undefined ? [] : [data.organization_id],
    attributes: { ...attributesOf(others, 'traits.'), ...administered(data) },
  })
}

type WebauthnCredential = z.output<typeof webauthn>['credentials'][number]

function passkeyOf({ id, public_key: key, authenticator, flags }: WebauthnCredential, rpId: string) {
  const aaguid = authenticator?.aaguid?.toString('hex') ?? ''
  return {
    credential_id: id.toString('base64url'),
    public_key: key.toString('base64url'),
    rp_id: rpId,
    sign_count: authenticator?.sign_count ?? 0,
    ...(flags?.backup_eligible !== undefined && { backup_eligible: flags.backup_eligible }),
    ...(flags?.backup_state !== undefined && { backup_state: flags.backup_state }),
    ...(/^(?!0{32})[0-9a-f]{32}$/.test(aaguid) && {
      aaguid: aaguid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    }),
  }
}
