import type { Child } from 'hono/jsx'
import { Detail, Details } from '../pages/details.tsx'
import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { toldFields } from '../upstream/told-fields.ts'
import type { CameOf, UpstreamTrial } from '../upstream/trial.ts'
import type { Would } from '../upstream/would.ts'
import { directoryFields, directoryProblem, type DirectoryPageProps } from './upstream-page.tsx'

/** Somebody is about to try a sign-in. */
export function trialPage(
  props: FormPageProps & Omit<DirectoryPageProps, 'name'> & { name: string; typesPassword: boolean },
): string {
  const { locale, name, typesPassword } = props
  const { trial: messages, upstream } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title(name),
    above: [
      <p class="lead">{messages.text(<Name>{name}</Name>)}</p>,
      <p>{messages.seen}</p>,
      typesPassword && directoryProblem(props),
    ],
    fields: typesPassword && directoryFields(props),
    buttons: <Button>{typesPassword ? upstream.submit : upstream.continueWith(name)}</Button>,
  })
}

/** The address of a trial counts no more, or never did. */
export function trialOverPage(props: PageProps): string {
  const { trial: messages } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} title={messages.overTitle} error>
      <h1>{messages.overTitle}</h1>
      <p>{messages.over}</p>
    </Layout>,
  )
}

interface TriedPageProps extends PageProps {
  name: string
  trial: UpstreamTrial
  /** Addresses of ours that stand at the provider. */
  registered: readonly string[]
  /** A page of ours that it leads back to. */
  back: string | null
}

/** The outcome of a trial: what the provider said, what would follow, and what to change where it failed. */
export function triedPage(props: TriedPageProps): string {
  const { locale, name, back } = props
  const { problem, came, would } = props.trial
  const { trial: messages, upstream } = messagesFor(locale)
  const title = problem === null ? messages.doneTitle(name) : upstream.failedTitle(name)
  return renderPage(
    <Layout {...props} title={title} error={problem !== null}>
      <h1>{title}</h1>
      {problem && <p>{messages.cures[problem.code]}</p>}
      {would && <p>{messages.outcomes[outcomeIn(would)]}</p>}
      {would?.reason && <p>{messages.reasons[would.reason]}</p>}
      <p class="hint">{messages.nothing}</p>
      {back !== null && (
        <p>
          <a href={back}>{messages.back}</a>
        </p>
      )}
      {would && <WouldBe locale={locale} would={would} />}
      {came && <Came locale={locale} came={came} />}
      {problem && <Technical {...props} problem={problem} />}
    </Layout>,
  )
}

type Of<T> = Pick<PageProps, 'locale'> & T

const outcomeIn = ({ outcome, links }: Would) => (outcome === 'known' && links ? 'linked' : outcome)

function WouldBe({ locale, would }: Of<{ would: Would }>) {
  const { trial: messages } = messagesFor(locale)
  const { changes, gives, ends } = would
  if (changes.length + gives.length + ends.length === 0) return null
  const fields = changes.map(({ field }) => fieldIn(messages.fields, field))
  const roles = (all: Would['gives']) => all.map((one) => one.role_code)
  return (
    <Details id="would" heading={messages.would}>
      <Listed term={messages.changes} values={fields} />
      <Listed term={messages.gives} values={roles(gives)} />
      <Listed term={messages.ends} values={roles(ends)} />
    </Details>
  )
}

const fieldIn = (fields: Readonly<Record<string, string>>, field: string): string =>
  Object.hasOwn(fields, field) ? (fields[field] ?? field) : field

function Came({ locale, came }: Of<{ came: CameOf }>) {
  const { trial: messages } = messagesFor(locale)
  const { subject, fields, groups, auth_time: at } = came
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return (
    <Details id="came" heading={messages.came}>
      <Listed term={messages.subject} values={[subject]} />
      {toldFields.map((field) => (
        <Listed term={messages.fields[field]} values={[fields[field] ?? []].flat()} />
      ))}
      <Detail term={messages.groups}>
        {groups === 'unknown' ? messages.unknownGroups : groups.length === 0 ? messages.none : listed(groups)}
      </Detail>
      <Detail term={messages.signedInAt}>{at === null ? messages.noTime : `${time.format(at)} UTC`}</Detail>
    </Details>
  )
}

/** The most values of a list that a page shows. */
const most = 50

const listed = (values: readonly string[]): Child => [
  values.slice(0, most).map((value, index) => [index > 0 && ', ', <Name>{value}</Name>]),
  values.length > most && ` … (${values.length})`,
]

/** Nothing where there is none. */
const Listed = ({ term, values }: { term: string; values: readonly string[] }) =>
  values.length === 0 ? null : <Detail term={term}>{listed(values)}</Detail>

function Technical({
  locale,
  problem,
  registered,
  trial: { draft_of },
}: TriedPageProps & { problem: NonNullable<UpstreamTrial['problem']> }) {
  const { trial: messages, errorPage } = messagesFor(locale)
  // Anybody may hold a set-up link: no detail tells what is in our network.
  const isHidden = draft_of !== null && problem.code === 'unreachable'
  return (
    <Details id="technical" heading={errorPage.technical}>
      <Detail term={errorPage.code}>
        <code>{problem.code}</code>
      </Detail>
      {!isHidden && <Detail term={errorPage.description}>{problem.message}</Detail>}
      {registered.length > 0 && (
        <Detail term={messages.registered}>
          {registered.map((address) => (
            <div>
              <code>{address}</code>
            </div>
          ))}
        </Detail>
      )}
    </Details>
  )
}
