import { Button, Drawer } from '@mantine/core'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useWords } from '../messages/messages.tsx'
import { hasEnded, whenEnded } from '../session/session.ts'
import { useMay, useMe } from '../shared/me.ts'
import { Heading } from '../shared/text.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Icon, Mark } from '../shared/icons.tsx'

/** What there is, each with the permission that it reads by. */
export const places = [
  { to: '/applications', word: 'applications', group: 'use', permission: 'iam.clients.read' },
  { to: '/people', word: 'people', group: 'use', permission: 'iam.users.read' },
  { to: '/access', word: 'access', group: 'understand', permission: 'iam.access.read' },
] as const

export function Shell() {
  const words = useWords()
  const [open, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => setOpen(false), [path])
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <section className="bar" aria-label={words.console}>
        <button
          type="button"
          className="quiet"
          aria-label={words.menu}
          aria-expanded={open}
          onClick={() => setOpen(true)}
        >
          <Icon name="menu" />
        </button>
        <Brand />
      </section>
      <aside className="side">
        <Brand />
        <Menu />
      </aside>
      <Drawer
        opened={open}
        onClose={() => setOpen(false)}
        size={280}
        lockScroll={false}
        title={<Brand />}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <Menu />
      </Drawer>
      <main id="content">
        <Ended />
        <Outlet />
      </main>
    </div>
  )
}

function Brand() {
  const words = useWords()
  return (
    <Link to="/" className="brand">
      <Mark />
      <span translate="no">Tessera</span> <span className="soft">{words.console}</span>
    </Link>
  )
}

function Menu() {
  const words = useWords()
  const may = useMay()
  const shown = places.filter(({ permission }) => may(permission))
  const groups = (['use', 'understand'] as const).filter((one) => shown.some(({ group }) => group === one))
  return (
    <div className="menu">
      <nav aria-label={words.menu}>
        {groups.map((group) => (
          <section key={group}>
            <h2>{words[group]}</h2>
            {shown
              .filter((place) => place.group === group)
              .map(({ to, word }) => (
                <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
                  <Icon name={word} />
                  {words[word]}
                </Link>
              ))}
          </section>
        ))}
      </nav>
      <AccountMenu />
    </div>
  )
}

/** Over what is open, which stays as it is. */
function Ended() {
  const words = useWords()
  const ended = useSyncExternalStore(whenEnded, hasEnded)
  if (!ended) return null
  return (
    <div className="notice warn ended" role="alert">
      <strong>{words.ended}</strong>
      <p>{words.endedHow}</p>
      <Button size="xs" component="a" href="/console/signed-in" target="_blank" rel="noreferrer">
        {words.signInAgain}
      </Button>
    </div>
  )
}

/** For a person whose profile gives nothing here. */
export function NothingAllowed() {
  const words = useWords()
  const { actor } = useMe()
  const role = 'role_name' in actor ? actor.role_name : actor.kind
  return (
    <div className="empty">
      <Heading>{words.nothingAllowed}</Heading>
      <p>{words.nothingAllowedWhy(role)}</p>
    </div>
  )
}

/** What the tab shows in which somebody signed in again. */
export function SignedIn() {
  const words = useWords()
  return (
    <div className="empty">
      <Heading>{words.signedInAgain}</Heading>
      <p>{words.signedInAgainHow}</p>
    </div>
  )
}

export function NotFound() {
  const words = useWords()
  return (
    <div className="empty">
      <Heading>{words.notFound}</Heading>
      <p>
        <Link to="/">{words.notFoundBack}</Link>
      </p>
    </div>
  )
}
