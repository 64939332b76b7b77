import { keyTimes } from '../../keys/key-times.ts'

/** The values that examples are made of: one person, one client and one service throughout. */
export const samples = {
  clientId: 'submissions-web',
  machine: 'nightly-import',
  machineSecret: 'the-secret-that-was-shown-once',
  redirectUri: 'https://submissions.acme.example/callback',
  afterLogout: 'https://submissions.acme.example/',
  resource: 'https://submissions.acme.example/api',
  permission: 'submissions-tool.vista-import.create',
  scope: 'openid email profile service.api',
  state: 'kV0p1yZ8bQm3sX6n',
  nonce: 'n7Jw2cRt5uLg9aHe',
  // RFC 7636, appendix B.
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code: 'SplxlOBeZQQYbYS6WxSbIAjq7n0qf3vYw2tC1xkR8zE',
  accessToken: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl',
  idToken: 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl',
  refreshToken: '019f3c2a7be54d0e8a41.k3JtQ8vXw5sPz2nL.r7BdY1uHc9mEf4gA',
  kid: '7f1c0b52-9d3e-4a86-8f27-2b6f0e1d4c59',
  otherKid: 'c2a5d9e4-61b7-4f03-9a8c-e07d3b1f5a26',
  jti: '019f3c2a7be54d0e8a41.5e0c1d2f3a4b5c6d',
  sid: '5c1b7a90-3e2d-4f68-9a01-7d8e6f5c4b3a',
  profileUuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101',
  userUuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
  organisationUuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
  unitUuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02',
  time: 1_767_225_600,
  jwksCacheSeconds: keyTimes.jwksCache / 1000,
} as const

/** Seconds as people say them: 900 → `15 minutes`. */
export function spoken(milliseconds: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ] as const
  const [unit, length] = units.find(([, one]) => milliseconds >= one && milliseconds % one === 0) ?? units[3]
  const count = milliseconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
