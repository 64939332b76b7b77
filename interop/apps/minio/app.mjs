import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import * as client from 'openid-client'
import { CLIENT_ID, CLIENT_SECRET, ISSUER, own, serve } from './serve.mjs'

/** MinIO itself, in the environment that was pasted. */
const port = Number(process.env.PORT) + 1
const minio = `http://127.0.0.1:${port}`
const lines = readFileSync('minio.env', 'utf8').trimEnd().split('\n')
const pasted = Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2)))
const env = {
  ...process.env,
  ...pasted,
  MINIO_ROOT_USER: 'interop',
  MINIO_ROOT_PASSWORD: 'of the interop run',
}
spawn('bin/minio', ['server', 'data', '--address', `127.0.0.1:${port}`], { env, stdio: 'inherit' })

/** An application that signs people in, and swaps their ID token for keys of S3. */
// PASTE
const execute = [client.allowInsecureRequests]
const basic = client.ClientSecretBasic(CLIENT_SECRET)
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, undefined, basic, { execute })
let [begun, kept] = [undefined, undefined]

serve({
  async '/login'() {
    const [code_verifier, state, nonce] = [
      client.randomPKCECodeVerifier(),
      client.randomState(),
      client.randomNonce(),
    ]
    begun = { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce }
    const code_challenge = await client.calculatePKCECodeChallenge(code_verifier)
    const asked = { redirect_uri: `${own}/callback`, scope: 'openid email profile groups', state, nonce }
    return {
      to: client.buildAuthorizationUrl(config, { ...asked, code_challenge, code_challenge_method: 'S256' }),
    }
  },
  async '/callback'(request) {
    kept = await client.authorizationCodeGrant(config, new URL(request.url, own), begun)
    return { to: '/who' }
  },
  '/who': () => ({ sub: kept?.claims().sub }),
  async '/call'() {
    const { accessKey, secretKey, sessionToken } = await keysFor(minio, kept.id_token)
    const S3 = await import('minio')
    const s3 = new S3.Client({
      endPoint: '127.0.0.1',
      port,
      useSSL: false,
      accessKey,
      secretKey,
      sessionToken,
    })
    await s3.getObject('none', 'none').catch((error) => {
      if (error.code !== 'NoSuchBucket') throw error
    })
    // What the policy `readonly` forbids.
    const refused = await s3.makeBucket('mine').catch((error) => error.code)
    return refused === 'AccessDenied' ? { sub: kept.claims().sub } : { refused }
  },
  '/logout'() {
    const id_token_hint = kept.id_token
    kept = undefined
    return { to: client.buildEndSessionUrl(config, { id_token_hint, post_logout_redirect_uri: `${own}/` }) }
  },
})
