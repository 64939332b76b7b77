import fc from 'fast-check'

/** What is sent by those who mean harm, and by programs that are broken. */

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

/** Texts that have broken somebody's parser before. */
const nasty = fc.constantFrom(
  ...words(`% %zz %00 %C0%AF %ED%A0%80 %F0%9F%92%A9 \u202E ٣ [] __proto__ constructor "><script> {{7*7}} -1 1e309 NaN
    ../../etc/passwd + ; https://evil.example javascript:alert(1)`),
  ...words("$ { } ( ) ` ' \\ & = ? # @ : ,"),
  '',
  ' ',
  '\u0000',
  "' or 1=1 --",
  '9'.repeat(20),
  'a'.repeat(5000),
  '\r\nSet-Cookie: a=b',
)
export const hostile = fc.oneof(
  nasty,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.base64String({ maxLength: 80 }),
)
/** Already encoded, well or badly. */
export const encoded = fc.oneof(
  // A form can't carry half of a surrogate pair.
  hostile.map((text) => encodeURIComponent(Buffer.from(text).toString())),
  fc.string({ unit: fc.constantFrom(...'%0123456789ABCDEFabcdef+&=;?/.~-_'), maxLength: 40 }),
)
/** Visible ASCII and what else may stand in a header. */
export const headerText = fc.oneof(
  hostile.map((text) => text.replaceAll(/[^\t\x20-\x7E\x80-\xFF]/g, '').trim()),
  fc.string({ unit: fc.constantFrom(...'abcABC019 ,;=".:-_~+/%\\\t'), maxLength: 200 }),
)

export const authorizeNames = words(`client_id redirect_uri response_type scope state nonce code_challenge
  code_challenge_method prompt max_age login_hint id_token_hint ui_locales resource profile_uuid request request_uri
  response_mode claims __proto__ scope[]`)
export const tokenNames =
  words(`grant_type client_id client_secret redirect_uri code code_verifier refresh_token scope
  resource profile_uuid token token_type_hint request csrf email password`)
export const formPaths =
  words(`/oauth2/token /v1/iam/token/refresh /oauth2/revoke /oauth2/introspect /oauth2/authorize /oauth2/par
  /oauth2/logout /oauth2/logout/confirm /oauth2/userinfo`)
export const stepPaths = words('/sign-in /choose-profile /consent /no-profile /sign-in/another-account')
export const headerNames =
  words(`Accept Accept-Language Origin Referer Content-Type X-Forwarded-For Forwarded Range
  If-None-Match Traceparent Tracestate Baggage Transfer-Encoding Upgrade X-Request-Id Te`)

/** None of the limits that would end a test of thousands of requests from one address. */
export const withoutLimits = Object.fromEntries(
  words('CLIENT_AUTH AUTHORIZE GRANTS SIGN_IN_ACCOUNT SIGN_IN_ADDRESS').map((name) => [
    `TESSERA_LIMIT_${name}`,
    '0',
  ]),
)

export const runs = (numRuns: number) => ({ numRuns, endOnFailure: true })
