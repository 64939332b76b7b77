import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** Tokens of other issuers in the shape that each gives them, and an issuer that publishes its keys. */

export type Alg = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'
export interface Signing {
  kid: string
  alg: Alg
  privateKey: CryptoKey
  jwk: Record<string, unknown>
}

export async function keyOf(alg: Alg, kid: string): Promise<Signing> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export type Claims = Record<string, unknown>

/** Signs claims as they are; undefined ones are left out. */
export async function signed(claims: Claims, key: Signing, header: Record<string, unknown> = {}) {
  return await new SignJWT(JSON.parse(JSON.stringify(claims)) as Claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey)
}

/** Claims of a projected service account token of Kubernetes 1.30 and later. Its header has no typ. */
export const ofKubernetes = (now: number, changes: Claims = {}): Claims => ({
  exp: now + 3600,
  iat: now,
  nbf: now,
  jti: 'd4b8a2f7-6f0b-4ad1-9d3a-7f5c3f1f4c11',
  'kubernetes.io': {
    namespace: 'prod',
    node: { name: 'node-7', uid: '646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1' },
    pod: { name: 'orders-5c9d8f-x2k4p', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
    serviceaccount: { name: 'orders', uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
  },
  sub: 'system:serviceaccount:prod:orders',
  ...changes,
})

/** Claims of a job of GitHub Actions: before 15 July 2026 its `sub` has names alone. */
export const ofGitHub = (now: number, changes: Claims = {}): Claims => ({
  jti: 'a1b2c3d4-0000-4000-8000-000000000001',
  sub: 'repo:octo-org@123456/octo-repo@456789:ref:refs/heads/main',
  ref: 'refs/heads/main',
  sha: '2f1a5b1c3d4e5f60718293a4b5c6d7e8f9012345',
  repository: 'octo-org/octo-repo',
  repository_owner: 'octo-org',
  repository_owner_id: '123456',
  run_id: '9876543210',
  run_number: '10',
  run_attempt: '1',
  repository_visibility: 'private',
  repository_id: '456789',
  actor_id: '12',
  actor: 'octocat',
  workflow: 'deploy',
  head_ref: '',
  base_ref: '',
  event_name: 'push',
  ref_protected: 'true',
  ref_type: 'branch',
  workflow_ref: 'octo-org/octo-repo/.github/workflows/deploy.yml@refs/heads/main',
  job_workflow_ref: 'octo-org/octo-repo/.github/workflows/deploy.yml@refs/heads/main',
  runner_environment: 'github-hosted',
  nbf: now - 5,
  exp: now + 300,
  iat: now,
  ...changes,
})
export const gitHubHeader = { typ: 'JWT', x5t: 'ykNaY4qM_ta4k2TgZOCEYLkcYlA' }

/** Claims of an ID token of a job of GitLab 17 and later. */
export const ofGitLab = (now: number, changes: Claims = {}): Claims => ({
  namespace_id: '72',
  namespace_path: 'my-group',
  project_id: '20',
  project_path: 'my-group/my-project',
  user_id: '1',
  user_login: 'sample-user',
  pipeline_id: '574',
  pipeline_source: 'push',
  job_id: '302',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  ref_protected: 'true',
  runner_id: 1,
  runner_environment: 'self-hosted',
  sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  project_visibility: 'private',
  ci_config_ref_uri: 'gitlab.example.com/my-group/my-project//.gitlab-ci.yml@refs/heads/main',
  jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
  iat: now,
  nbf: now - 5,
  exp: now + 3600,
  sub: 'project_path:my-group/my-project:ref_type:branch:ref:main',
  ...changes,
})

/** Claims of a JWT-SVID of SPIRE, whose OIDC discovery provider publishes the keys. */
export const ofSpire = (now: number, changes: Claims = {}): Claims => ({
  exp: now + 300,
  iat: now,
  sub: 'spiffe://example.org/ns/prod/sa/orders',
  ...changes,
})

/** An issuer, with its metadata and keys; counts what it is asked. */
export async function publishedIssuer() {
  const state = {
    asked: 0,
    status: 200,
    keys: [] as object[],
    issuer: '',
    document: undefined as string | undefined,
  }
  const server = createServer((request, response) => {
    state.asked += 1
    const metadata = { issuer: state.issuer, jwks_uri: `${state.issuer}/jwks` }
    const isMetadata = request.url === '/.well-known/openid-configuration'
    const body = isMetadata
      ? (state.document ?? JSON.stringify(metadata))
      : JSON.stringify({ keys: state.keys })
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    state,
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}
