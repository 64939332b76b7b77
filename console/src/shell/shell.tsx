import { onlineManager, useIsFetching } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useWords } from '../messages/messages.tsx'
import { type Me, useMe } from '../shared/me.ts'
import { Ended } from '../shared/ended.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Find, FindButton, type Finding } from './find.tsx'
import { NewVersion } from './new-version.tsx'
import { Icon, Mark } from '../shared/icons.tsx'

/** What there is, each with the permission that it reads by, or any of several. */
const places = [
  {
    to: '/',
    word: 'overview',
    group: 'use',
    // The figures, and what may need attention.
    permission: [
      'iam.statistics.read',
      'iam.clients.read',
      'iam.profiles.read',
      'iam.keys.read',
      'iam.webhooks.read',
      'iam.mails.read',
    ],
  },
  { to: '/applications', word: 'applications', group: 'use', permission: 'iam.clients.read' },
  { to: '/people', word: 'people', group: 'use', permission: 'iam.users.read' },
  { to: '/organisations', word: 'organisations', group: 'use', permission: 'iam.organisations.read' },
  {
    to: '/upstreams',
    word: 'upstreams',
    group: 'use',
    permission: ['iam.upstreams.read', 'iam.domains.read', 'iam.directories.read'],
  },
  { to: '/access', word: 'access', group: 'understand', permission: 'iam.access.read' },
  { to: '/audit', word: 'audit', group: 'understand', permission: 'iam.audit.read' },
  { to: '/roles', word: 'roles', group: 'define', permission: 'iam.roles.read' },
  { to: '/services', word: 'services', group: 'define', permission: 'iam.services.read' },
  { to: '/file', word: 'declared', group: 'run', permission: 'iam.declared.read' },
  { to: '/webhooks', word: 'webhooks', group: 'run', permission: 'iam.webhooks.read' },
  { to: '/mails', word: 'mails', group: 'run', permission: 'iam.mails.read' },
  { to: '/keys', word: 'keys', group: 'run', permission: 'iam.keys.read' },
  { to: '/policy', word: 'policy', group: 'run', permission: 'iam.policy.read' },
  { to: '/branding', word: 'branding', group: 'run', permission: 'iam.branding.read' },
  { to: '/settings', word: 'installation', group: 'run', permission: 'iam.settings.read' },
] as const

const ofInstallation = ['/file', '/mails', '/keys', '/policy', '/branding', '/settings']
/** A unit has no audit, which tells of a whole organisation, and no upstreams and webhooks, which belong to one. */
const beyond = {
  unit: ['/audit', '/upstreams', '/webhooks', ...ofInstallation],
  organisation: ofInstallation,
  installation: [],
}

export const placesOf = ({ permissions, reach }: Me) =>
  places.filter(
    ({ to, permission }) =>
      [permission].flat().some((one) => permissions.includes(one)) &&
      !beyond[reach.kind].some((one) => one === to),
  )

/** The menu of a phone is loaded when it is first opened. */
const MenuDrawer = lazy(async () => ({ default: (await import('./menu-drawer.tsx')).MenuDrawer }))

export function Shell({ palette }: { palette: LoadPalette }) {
  const words = useWords()
  const [open, setOpen] = useState(false)
  /** The drawer stays once it was there, so that it gives the focus back. */
  const [wasOpen, setWasOpen] = useState(false)
  if (open && !wasOpen) setWasOpen(true)
  const [finding, setFinding] = useState(false)
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
        <FindButton onClick={() => setFinding(true)} />
      </section>
      <aside className="side">
        <Brand />
        <FindButton onClick={() => setFinding(true)} />
        <Menu />
      </aside>
      {(open || wasOpen) && (
        <Suspense>
          <MenuDrawer opened={open} close={() => setOpen(false)} title={<Brand />}>
            <Menu />
          </MenuDrawer>
        </Suspense>
      )}
      <main id="content">
        <Ended />
        <Unanswered />
        <NewVersion />
        <Taken key={path} />
        <Outlet />
      </main>
      <Find opened={finding} onChange={setFinding} places={useLinks()} load={palette} />
    </div>
  )
}

type LoadPalette = Finding<ReturnType<typeof useLinks>>['load']

/** The entries of the menu, as the palette offers them. */
function useLinks() {
  const words = useWords()
  return placesOf(useMe()).map(({ to, word }) => ({ icon: word, label: words[word], go: { to } }))
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
  const shown = placesOf(useMe())
  const groups = (['use', 'understand', 'define', 'run'] as const).filter((one) =>
    shown.some(({ group }) => group === one),
  )
  return (
    <div className="menu">
      <nav aria-label={words.menu}>
        {groups.map((group) => (
          <section key={group}>
            <h2>{words[group]}</h2>
            {shown
              .filter((place) => place.group === group)
              .map(({ to, word }) => (
                <Link
                  key={to}
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  activeProps={{ 'aria-current': 'page' }}
                >
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

/** Says that what is shown is not what there is, while it is asked for again. */
function Unanswered() {
  const words = useWords()
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  const again = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 })
  if (online && again === 0) return null
  return (
    <p className="notice warn ended" role="status">
      {online ? words.unanswered : words.noConnection}
    </p>
  )
}

/** Buttons and entries of the menu vanish with a permission, so it says which one was taken. */
function Taken() {
  const words = useWords()
  const { permissions } = useMe()
  const [before] = useState(permissions)
  const taken = before.filter((one) => !permissions.includes(one))
  if (taken.length === 0) return null
  return (
    <p className="notice warn" role="status">
      {words.taken(taken.join(', '))}
    </p>
  )
}
