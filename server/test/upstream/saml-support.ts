import { samlAssertion } from '../../dist/upstream/saml.js'
import type { Upstream } from '../../dist/upstream/upstream.js'
import {
  responseXml,
  type Said,
  type SamlProvider,
  samlProvider,
  type Signing,
  signed,
} from '../harness/saml-provider.ts'
import { upstreamOf } from '../harness/upstream-row.ts'

/** The time of these tests. */
export const now = Date.UTC(2026, 10, 26, 12)
export const ownEntity = 'https://auth.example/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f'
export const acs = `${ownEntity}/acs`
export const slo = `${ownEntity}/logout`
export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

export const provider: SamlProvider = await samlProvider(now)
/** Somebody with a key of their own. */
export const attacker: SamlProvider = await samlProvider(now)

export const documents = {
  entityID: provider.entityID,
  sso: provider.sso,
  slo: provider.slo,
  certificates: [provider.pem],
}

export const upstream = upstreamOf({
  uuid: '5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f',
  organisation_uuid: '0d1c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f',
  code: 'idp',
  name: 'Example',
  kind: 'saml',
  issuer: provider.entityID,
  metadata_url: 'https://idp.example/metadata',
  created_at: now,
  updated_at: now,
  private_key: attacker.key,
})

export const said: Said = {
  id: '_assertion',
  issuer: provider.entityID,
  destination: acs,
  responseInResponseTo: '_request',
  inResponseTo: '_request',
  recipient: acs,
  audience: ownEntity,
  nameId: 'u-4711',
  format: persistent,
  method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  notBefore: now - 1000,
  notOnOrAfter: now + 300_000,
  conditionsEnd: now + 300_000,
  authnInstant: now - 5000,
  context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:X509',
  sessionIndex: '_session',
  attributes: { mail: ['ada@example.org'], groups: ['staff', 'admins'] },
  status: 'Success',
  beforeAssertion: '',
  inAssertion: '',
}

/** A response whose assertion is signed. */
export function answer(changed: Partial<Said> = {}, how: Signing = {}, key = provider.key): string {
  return signed(responseXml({ ...said, ...changed }), 'Assertion', key, how)
}

export async function taken(xml: string, of: Partial<Upstream> = {}, at = now) {
  const response = Buffer.from(xml).toString('base64')
  return await samlAssertion({ ...upstream, ...of }, documents, { response, acs, ownEntity }, at)
}
