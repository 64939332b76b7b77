/** Tokens of other issuers by which a workload proves itself (decisions 30): which one, and who has one. */

type ClaimValue = string | number | boolean

/** The tokens that prove a client: compared exactly, without wildcards. */
export type Federated = { issuer: string } & (
  | { subject: string; claims?: undefined }
  | { subject?: undefined; claims: Readonly<Record<string, ClaimValue>> }
)

/** Names that issuers never give to something else. One of them is among the claims. */
const lastingClaims = ['repository_id', 'project_id', 'kubernetes.io/serviceaccount/uid'] as const

/** What is wrong with the claims of a match, to follow its name. */
export function claimsProblem(claims: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(claims)
  if (names.length > 20) return 'has more than 20 entries'
  if (names.some((name) => ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'].includes(name)))
    return 'names a claim that says nothing of who it is: iss, aud, exp, iat, nbf or jti'
  if (lastingClaims.some((name) => Object.hasOwn(claims, name))) return undefined
  return `names none of ${lastingClaims.join(', ')}: every other may come to be somebody else's`
}

/** The steps to a claim: `a/b` is `b` within `a`. A name that has a slash itself is written with `~1`, and `~` as `~0` (RFC 6901 §3). */
const stepsTo = (name: string) =>
  name.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The value of a claim; undefined: there is none. */
function claimAt(payload: Readonly<Record<string, unknown>>, name: string): unknown {
  let found: unknown = payload
  for (const step of stepsTo(name)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[step]
  }
  return found
}

/** A claim that is another than the match has it. */
export interface Mismatch {
  name: string
  wanted: ClaimValue
  found: unknown
}

/** The first claim of a verified token that is another; undefined: it is the client's. */
export function mismatchOf(
  federated: Federated,
  payload: Readonly<Record<string, unknown>>,
): Mismatch | undefined {
  const wanted = federated.claims === undefined ? { sub: federated.subject } : federated.claims
  return Object.entries(wanted)
    .map(([name, value]) => ({ name, wanted: value, found: claimAt(payload, name) }))
    .find((one) => one.found !== one.wanted)
}

/** Says for people to read who has a token that matches. */
export function whoMay({ issuer, subject, claims }: Federated): string {
  if (claims !== undefined)
    return `whoever gets a token of ${issuer} in which ${Object.entries(claims)
      .map(([name, value]) => `${name} is ${JSON.stringify(value)}`)
      .join(' and ')}`
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(subject)
  const pods = account && `, which pods get that run as the service account ${account[1]}/${account[2]}`
  return `whoever gets a token of ${issuer} with the subject ${JSON.stringify(subject)}${pods ?? ''}`
}

/** What makes a match wider than it looks, for people to read. */
export function widthOf({ subject, claims }: Federated): string[] {
  if (claims !== undefined) return widthOfClaims(claims)
  const whole =
    /^repo:[^:]+$|:pull_request$/.test(subject) && 'Every pull request may: name a ref or an environment.'
  const byName =
    /^repo:[^@]+\/[^@:]+(:|$)/.test(subject) || subject.startsWith('project_path:')
      ? 'It names the repository, which may be renamed or made anew by somebody else: match claims with its id.'
      : subject.startsWith('system:serviceaccount:') &&
        'An account of this name that is deleted and made anew may as well: match claims with kubernetes.io/serviceaccount/uid.'
  return [whole, byName].filter((one) => typeof one === 'string')
}

function widthOfClaims(claims: Readonly<Record<string, ClaimValue>>): string[] {
  const isRepository = ['repository_id', 'project_id'].some((name) => Object.hasOwn(claims, name))
  if (!isRepository || ['ref', 'environment'].some((name) => Object.hasOwn(claims, name))) return []
  return ['Every branch and every pull request of the repository may: name a ref or an environment.']
}

/** An issuer of such tokens, as the installation declares it. Without jwks and jwks_uri its own metadata names its keys. */
export interface AssertionIssuer {
  issuer: string
  /** What its tokens may be for besides us. */
  audience?: string | undefined
  jwks?: object | undefined
  jwks_uri?: string | undefined
  /** Seconds. */
  max_lifetime?: number | undefined
  /** The organisations whose clients it may prove. Nothing: clients without organisation alone. */
  organisations?: readonly string[] | undefined
}

export const longestFederated = { usual: 3600, most: 86_400 } as const

/** Whether an issuer proves clients of this organisation, or of none. */
export const isOpenTo = (
  { organisations }: Pick<AssertionIssuer, 'organisations'>,
  organisation_uuid: string | null,
): boolean => organisation_uuid === null || organisations?.includes(organisation_uuid) === true

/** What is wrong with the address of an issuer, to follow its name: it is compared byte for byte. */
export const issuerAddressProblem = (issuer: string): string | undefined =>
  /[?#]/.test(issuer) ? 'has a query or a fragment, which no issuer has' : undefined

/** Why an issuer proves no client of this organisation, to follow its name; undefined: it does. */
export function issuerProblem(
  declared: Iterable<AssertionIssuer>,
  { issuer }: Pick<Federated, 'issuer'>,
  organisation_uuid: string | null,
): string | undefined {
  // Issuers that are closed to the organisation are not told of there.
  const open = [...declared].filter((one) => isOpenTo(one, organisation_uuid)).map((one) => one.issuer)
  if (open.includes(issuer)) return undefined
  const near = open.find((one) => bare(one) === bare(issuer))
  if (near !== undefined) return `is not declared; ${near} is, and it is compared to the last slash`
  return `is no issuer that assertion_issuers of the installation declares${organisation_uuid === null ? '' : ' for this organisation'}`
}

const bare = (issuer: string) => issuer.replace(/^https?:\/\//, '').replace(/\/+$/, '')
