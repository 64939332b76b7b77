import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { AllowedWords } from './allowed.tsx'
import { RouteLines } from './route-lines.tsx'
import { isByKey, Proof } from './proof.tsx'
import { DocumentOf } from './document.tsx'
import { RefusedAddresses } from './refused-addresses.tsx'
import { usePlaces } from '../shared/place.ts'
import { CopyRow, Fact, Name, Time } from '../shared/text.tsx'
import { issuer, path } from '../api/client.ts'

/** How it is set up, and the values that it asks for. */
export function Overview({ data: client }: Tagged<Client>) {
  return (
    <>
      <Weakenings client={client} />
      <RefusedAddresses client={client} />
      <div className="halves">
        <Facts client={client} />
        <DocumentOf client={client} />
        {client.type === 'proxied' ? <ConnectProxy client={client} /> : <Connect client={client} />}
      </div>
    </>
  )
}

function Weakenings({ client: { weakenings } }: { client: Client }) {
  const { application } = useWords()
  if (weakenings.length === 0) return null
  return (
    <section className="notice warn" aria-label={application.weakerTitle}>
      <strong>{application.weakerTitle}</strong>
      <ul>
        {weakenings.map(({ field, detail }) => (
          <li key={field}>
            <code translate="no">{field}</code> {detail}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What is typed into the settings of the application itself. */
function Connect({ client }: { client: Client }) {
  const { application } = useWords()
  const { client_id: id } = client
  return (
    <section className="card" aria-label={application.connect}>
      <h2>{application.connect}</h2>
      <p className="soft">{application.connectHow}</p>
      <dl>
        <CopyRow label="client_id" value={id} />
        <CopyRow label={application.issuer} value={issuer} />
        <CopyRow label={application.discovery} value={`${issuer}/.well-known/openid-configuration`} />
      </dl>
    </section>
  )
}

/** What the proxy in front of it is told. */
function ConnectProxy({ client: { origins } }: { client: Client }) {
  const { application, proxied: words } = useWords()
  return (
    <section className="card" aria-label={application.connect}>
      <h2>{application.connect}</h2>
      <p className="soft">{words.connectHow}</p>
      <ProxyRows origins={origins} />
    </section>
  )
}

export function ProxyRows({ origins }: { origins: readonly string[] }) {
  const { proxied: words } = useWords()
  return (
    <dl>
      <CopyRow label={words.asks} value={`${path}/oauth2/forward-auth`} />
      <CopyRow label={words.handsOn} value="/.tessera/" />
      <CopyRow label={words.trusted} value="TESSERA_FORWARD_AUTH_PROXIES" />
      {origins.slice(0, 1).map((origin) => (
        <CopyRow key={origin} label={words.signsOut} value={`${origin}/.tessera/logout`} />
      ))}
    </dl>
  )
}

function Facts({ client }: { client: Client }) {
  const { application: words, allowed, no } = useWords()
  const place = usePlaces([client])
  const owner = client.organisation_uuid === null ? words.installation : place(client)
  return (
    <section className="card wide" aria-label={words.settings}>
      <h2>{words.settings}</h2>
      <dl>
        <Fact label={words.owner}>
          <Name>{owner}</Name>
        </Fact>
        {client.type !== 'machine' && (
          <Fact label={allowed.title}>
            <AllowedWords
              value={client.allowed}
              removed={client.allowed_removed}
              at={client.organisation_uuid === null ? undefined : owner}
            />
          </Fact>
        )}
        {client.type === 'proxied' ? <OfProxied client={client} /> : <OfCalling client={client} />}
        {client.type !== 'machine' && (
          <Fact label={words.firstParty}>{client.first_party ? words.firstPartyYes : no}</Fact>
        )}
        {(client.type !== 'proxied' || client.headers.includes('X-Access-Token')) && (
          <OfTokens client={client} />
        )}
        {client.client_uri && <Many label={words.website} values={[client.client_uri]} />}
        {client.backchannel_logout_uri && (
          <Many label={words.logoutNotice} values={[client.backchannel_logout_uri]} />
        )}
        <Many label={words.contacts} values={client.contacts} />
        <Fact label={words.created}>
          <Time at={client.created_at} />
        </Fact>
      </dl>
    </section>
  )
}

/** Where people come back to, and what it may ask for. */
function OfCalling({ client }: { client: Client }) {
  const { application: words, secrets } = useWords()
  return (
    <>
      <Many label={words.redirects} values={client.redirect_uris} />
      <Many label={words.afterLogout} values={client.post_logout_redirect_uris} />
      <Many label={words.origins} values={client.allowed_origins} />
      <Many label={words.services} values={client.services} />
      <Many label={words.scope} values={client.scope.split(' ')} />
      <Many label={words.grants} values={client.grant_types} />
      <Fact label={words.method}>
        <code translate="no">{client.token_endpoint_auth_method}</code>
      </Fact>
      {isByKey(client) && (
        <Fact label={secrets.byKey}>
          <Proof client={client} />
        </Fact>
      )}
    </>
  )
}

/** Where it is, what its table demands, and what it is told. */
function OfProxied({ client }: { client: Client }) {
  const { application, proxied: words } = useWords()
  const { headers, remote_user: user } = client
  return (
    <>
      <Many label={words.origins} values={client.origins} />
      <Fact label={words.routes}>
        <RouteLines routes={client.routes} />
      </Fact>
      {headers.length === 0 ? (
        <Fact label={words.told}>{words.toldNothing}</Fact>
      ) : (
        <Many label={words.told} values={headers} />
      )}
      {headers.includes('Remote-User') && <Fact label={words.remoteUser}>{words.remoteUsers[user]}</Fact>}
      <Many label={application.services} values={client.services} />
    </>
  )
}

function OfTokens({ client }: { client: Client }) {
  const { application: words } = useWords()
  return (
    <>
      {client.permissions === null ? (
        <Fact label={words.permissions}>{words.allOfRole}</Fact>
      ) : (
        <Many label={words.permissions} values={client.permissions} />
      )}
      <Fact label={words.tokenLife}>
        {client.access_token_lifetime === null
          ? words.byDefault
          : words.seconds(client.access_token_lifetime)}
      </Fact>
    </>
  )
}

/** Nothing where there is none: an empty row tells nobody anything. */
function Many({ label, values }: { label: string; values: readonly string[] }) {
  if (values.filter(Boolean).length === 0) return null
  return (
    <Fact label={label}>
      <ul className="plain">
        {values.map((value) => (
          <li key={value}>
            <code translate="no">{value}</code>
          </li>
        ))}
      </ul>
    </Fact>
  )
}
